package dev.tandem.spi.graph;

import java.util.stream.Collectors;

/** Prints a graph, one line per state and node, in a form that is equal for equal graphs. */
final class GraphPrinter {
    private GraphPrinter() {}

    static String print(Graph graph) {
        StringBuilder out = new StringBuilder("graph ").append(graph.name()).append('\n');
        for (StateSpec state : graph.states()) {
            out.append("  state ").append(state).append('\n');
        }
        for (Node node : graph.nodes()) {
            out.append("  ");
            if (!node.outputs().isEmpty()) {
                out.append(node.outputs().stream().map(Value::toString).collect(Collectors.joining(", ")))
                        .append(" = ");
            }
            out.append(node.op()).append('(');
            out.append(node.inputs().stream().map(v -> "%" + v.id()).collect(Collectors.joining(", ")));
            out.append(")  # ").append(node.label()).append('\n');
        }
        return out.toString();
    }
}
