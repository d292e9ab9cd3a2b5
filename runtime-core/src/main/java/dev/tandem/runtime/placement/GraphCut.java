package dev.tandem.runtime.placement;

import dev.tandem.runtime.placement.Placement.Part;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Cuts a graph where the backend changes; a value that crosses is an output of one piece and an input of others. */
final class GraphCut {
    private final Graph graph;
    private final Map<Value, String> inputNames = new HashMap<>();

    private GraphCut(Graph graph) {
        this.graph = graph;
        graph.inputs().forEach((name, value) -> inputNames.put(value, name));
    }

    /** Name under which a value crosses. */
    static String crossingName(Value value) {
        return "cross." + value.id();
    }

    static List<Part> cut(Graph graph, Function<Node, Backend> backendOf) {
        return new GraphCut(graph).cut(backendOf);
    }

    private List<Part> cut(Function<Node, Backend> backendOf) {
        List<Backend> backends = new ArrayList<>();
        List<List<Node>> runs = new ArrayList<>();
        Map<Value, Integer> definedIn = new HashMap<>();
        List<Node> outputs = new ArrayList<>();
        for (Node node : graph.nodes()) {
            if (node.op() instanceof Op.Input) {
                continue;
            }
            if (node.op() instanceof Op.Output) {
                outputs.add(node);
                continue;
            }
            Backend backend = backendOf.apply(node);
            if (runs.isEmpty() || !backends.getLast().equals(backend)) {
                backends.add(backend);
                runs.add(new ArrayList<>());
            }
            runs.getLast().add(node);
            for (Value output : node.outputs()) {
                definedIn.put(output, runs.size() - 1);
            }
        }
        for (Node output : outputs) {
            Integer run = definedIn.get(output.inputs().getFirst());
            runs.get(run == null ? 0 : run).add(output);
        }
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            parts.add(new Part(backends.get(i), piece(runs, i, definedIn)));
        }
        return parts;
    }

    private Graph piece(List<List<Node>> runs, int index, Map<Value, Integer> definedIn) {
        Map<String, Value> needed = new LinkedHashMap<>();
        Set<String> slots = new LinkedHashSet<>();
        for (Node node : runs.get(index)) {
            for (Value value : node.inputs()) {
                Integer source = definedIn.get(value);
                if (source == null || source != index) {
                    needed.put(source == null ? inputNames.getOrDefault(value, "") : crossingName(value), value);
                }
            }
            slotOf(node.op()).ifPresent(slots::add);
        }
        List<Node> nodes = new ArrayList<>();
        needed.forEach((name, value) -> nodes.add(new Node(new Op.Input(name), List.of(), List.of(value), name)));
        nodes.addAll(runs.get(index));
        for (Value value : usedLater(runs, index, definedIn)) {
            String name = crossingName(value);
            nodes.add(new Node(new Op.Output(name), List.of(value), List.of(), name));
        }
        List<StateSpec> states =
                graph.states().stream().filter(s -> slots.contains(s.slot())).toList();
        String name = runs.size() == 1 ? graph.name() : graph.name() + " " + (index + 1) + "/" + runs.size();
        return new Graph(name, nodes, states);
    }

    private static Set<Value> usedLater(List<List<Node>> runs, int index, Map<Value, Integer> definedIn) {
        Set<Value> used = new LinkedHashSet<>();
        Set<Value> mine = new HashSet<>();
        definedIn.forEach((value, run) -> {
            if (run == index) {
                mine.add(value);
            }
        });
        for (List<Node> later : runs.subList(index + 1, runs.size())) {
            for (Node node : later) {
                node.inputs().stream().filter(mine::contains).forEach(used::add);
            }
        }
        return used;
    }

    /** The state slot that an op uses. */
    static Optional<String> slotOf(Op op) {
        return switch (op) {
            case Op.Attention attention -> Optional.of(attention.slot());
            case Op.KvAppend append -> Optional.of(append.slot());
            case Op.ShortConv conv -> Optional.of(conv.slot());
            case Op.GatedDeltaRule rule -> Optional.of(rule.slot());
            default -> Optional.empty();
        };
    }
}
