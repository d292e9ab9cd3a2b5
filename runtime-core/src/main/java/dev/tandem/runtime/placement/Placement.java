package dev.tandem.runtime.placement;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Divides a graph between the chosen backend and the reference backend.
 *
 * @param parts pieces in order; two neighbours are on different backends
 * @param refused nodes that the chosen backend does not compute
 * @param moved what was moved beyond those nodes and why; empty where nothing was
 */
public record Placement(List<Part> parts, List<Refused> refused, Optional<String> moved) {
    /** More crossings than this in a step cost more than the moved nodes gain. */
    public static final int MAX_CROSSINGS = 8;

    private static final Pattern LAYER = Pattern.compile("(blk\\.\\d+\\.).*");

    /** Copies the lists. */
    public Placement {
        parts = List.copyOf(parts);
        refused = List.copyOf(refused);
    }

    /**
     * A piece of the graph on one backend.
     *
     * @param backend that runs it
     * @param graph the piece; values from other pieces are inputs
     */
    public record Part(Backend backend, Graph graph) {}

    /**
     * A node that the chosen backend refused.
     *
     * @param label of the node
     * @param op its name
     * @param reason the backend's words
     */
    public record Refused(String label, String op, String reason) {}

    /** Times per step that values move from one backend to another. */
    public int crossings() {
        return parts.size() - 1;
    }

    /**
     * Places every node. Nodes that share a state slot stay together.
     *
     * @param graph the whole graph
     * @param chosen the backend that the user or the engine chose
     * @param reference supports every op; may be the same
     * @param precision of the graph
     */
    public static Placement of(Graph graph, Backend chosen, Backend reference, Precision precision) {
        List<Refused> refused = new ArrayList<>();
        Set<Node> onReference = new HashSet<>();
        for (Node node : graph.nodes()) {
            if (!chosen.equals(reference)
                    && placeable(node)
                    && chosen.supports(node, precision) instanceof Backend.Support.No no) {
                refused.add(new Refused(node.label(), node.op().name(), no.reason()));
                onReference.add(node);
            }
        }
        addNodesOfTheirSlots(graph, onReference);
        Optional<String> moved = Optional.empty();
        List<Part> parts = GraphCut.cut(graph, node -> onReference.contains(node) ? reference : chosen);
        int crossings = parts.size() - 1;
        if (crossings > MAX_CROSSINGS) {
            addWholeLayers(graph, onReference);
            addNodesOfTheirSlots(graph, onReference);
            moved = Optional.of(crossings + " crossings per step exceed " + MAX_CROSSINGS + ": whole layers moved");
            parts = GraphCut.cut(graph, node -> onReference.contains(node) ? reference : chosen);
        }
        if (parts.size() - 1 > MAX_CROSSINGS) {
            moved = Optional.of(
                    crossings + " crossings per step exceed " + MAX_CROSSINGS + ", even by layers: the model moved");
            parts = GraphCut.cut(graph, node -> reference);
        }
        return new Placement(parts, refused, moved);
    }

    private static boolean placeable(Node node) {
        return !(node.op() instanceof Op.Input) && !(node.op() instanceof Op.Output);
    }

    /** What one node stores another may read: all nodes of a slot are on one backend. */
    private static void addNodesOfTheirSlots(Graph graph, Set<Node> onReference) {
        Set<String> slots = new HashSet<>();
        onReference.forEach(node -> GraphCut.slotOf(node.op()).ifPresent(slots::add));
        for (Node node : graph.nodes()) {
            if (GraphCut.slotOf(node.op()).filter(slots::contains).isPresent()) {
                onReference.add(node);
            }
        }
    }

    private static void addWholeLayers(Graph graph, Set<Node> onReference) {
        Set<String> layers = new HashSet<>();
        onReference.forEach(node -> layers.add(layer(node)));
        for (Node node : graph.nodes()) {
            if (placeable(node) && layers.contains(layer(node))) {
                onReference.add(node);
            }
        }
    }

    /** Prefix of the labels of a layer, or the label itself outside layers. */
    private static String layer(Node node) {
        Matcher matcher = LAYER.matcher(node.label());
        return matcher.matches() ? matcher.group(1) : node.label();
    }
}
