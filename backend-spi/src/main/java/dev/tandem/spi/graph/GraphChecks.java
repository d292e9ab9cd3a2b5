package dev.tandem.spi.graph;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What makes a list of nodes a graph: definition before use, single definition, unique names, fitting shapes. */
final class GraphChecks {
    private GraphChecks() {}

    static void check(String graph, List<Node> nodes, List<StateSpec> states) {
        Map<String, StateSpec> slots = new HashMap<>();
        for (StateSpec spec : states) {
            if (slots.put(spec.slot(), spec) != null) {
                throw new IllegalArgumentException(graph + ": state " + spec.slot() + " is declared twice");
            }
        }
        Set<Value> defined = new HashSet<>();
        Set<Integer> ids = new HashSet<>();
        Set<String> names = new HashSet<>();
        for (Node node : nodes) {
            for (Value input : node.inputs()) {
                if (!defined.contains(input)) {
                    throw new IllegalArgumentException(
                            graph + ": " + node.label() + " reads " + input + " before it is defined");
                }
            }
            checkTypes(node, slots);
            checkName(graph, node.op(), names);
            for (Value output : node.outputs()) {
                if (!ids.add(output.id())) {
                    throw new IllegalArgumentException(graph + ": " + output + " is defined twice");
                }
                defined.add(output);
            }
        }
    }

    private static void checkTypes(Node node, Map<String, StateSpec> slots) {
        if (node.op() instanceof Op.Input) {
            return;
        }
        List<ValueType> types = ShapeRules.infer(node.label(), node.op(), node.inputs(), slots);
        List<ValueType> stated = node.outputs().stream().map(Value::type).toList();
        if (!types.equals(stated)) {
            throw new IllegalArgumentException(
                    node.label() + ": " + node.op().name() + " gives " + types + ", stated as " + stated);
        }
    }

    private static void checkName(String graph, Op op, Set<String> names) {
        String name = switch (op) {
            case Op.Input input -> "input " + input.name();
            case Op.Output output -> "output " + output.name();
            default -> "";
        };
        if (!name.isEmpty() && !names.add(name)) {
            throw new IllegalArgumentException(graph + ": " + name + " stands twice");
        }
    }
}
