package dev.tandem.testkit.contract;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.Support;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.Attention.InStep;
import dev.tandem.spi.graph.Op.GatedDeltaRule.KeySharing;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.MemoryModel;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** One op with a memory; a graph of several has all kinds of slots in one sequence. Outputs are named as the parts. */
enum Memory {
    /** Attention in a window, with sinks, over f16. */
    WINDOW,
    /** Attention over everything, f32. */
    FULL,
    /** Keys and values without a query. */
    APPEND,
    /** A short convolution. */
    CONVOLUTION,
    /** A gated delta rule. */
    DELTA;

    /** Weights of every graph here. */
    private static final MemoryModel MODEL = new MemoryModel("memory")
            .floats("sinks", new float[] {0.5f, -1f}, 2)
            .floats("kernel", new float[] {1, 2, 3, -1, 0.5f, 0.25f, -2, 1, 1.5f, 0.1f, 0.2f, -0.3f}, 3, 4)
            .floats("decay", new float[] {-0.5f, -1f}, 2)
            .floats("time", new float[] {0.3f, -0.2f}, 2);

    static MemoryModel model() {
        return MODEL;
    }

    /** Parts without checkpoints: such a sequence can be cut anywhere. */
    static Set<Memory> keysAndValues() {
        return EnumSet.of(WINDOW, FULL, APPEND);
    }

    /** Those of some parts that a backend computes. */
    static Set<Memory> supported(Backend backend, Set<Memory> wanted) {
        Set<Memory> supported = EnumSet.noneOf(Memory.class);
        for (Memory part : wanted) {
            if (graph(EnumSet.of(part)).nodes().stream().allMatch(node -> accepted(backend, node))) {
                supported.add(part);
            }
        }
        return supported;
    }

    private static boolean accepted(Backend backend, Node node) {
        return node.op() instanceof Op.Input
                || node.op() instanceof Op.Output
                || backend.supports(node, Precision.REFERENCE) instanceof Support.Yes;
    }

    static Graph graph(Set<Memory> parts) {
        Graph.Builder graph = Graph.builder("memory of " + parts);
        parts.forEach(part -> part.addTo(graph));
        return graph.build();
    }

    private void addTo(Graph.Builder graph) {
        switch (this) {
            case WINDOW -> attention(graph, 1, DType.F16, 5, Optional.of(weight("sinks")));
            case FULL -> attention(graph, 2, DType.F32, 0, Optional.empty());
            case APPEND -> {
                graph.state(new StateSpec.Kv(name(), 1, 3, 2, DType.F16, 0));
                graph.addAll(name(), new Op.KvAppend(name()), input(graph, "k", 3), input(graph, "v", 2));
            }
            case CONVOLUTION -> {
                graph.state(new StateSpec.ConvWindow(name(), 3, 4));
                Op op = new Op.ShortConv(name(), weight("kernel"), Optional.empty(), Optional.of(Activation.SILU));
                graph.output(name(), graph.add(name(), op, input(graph, "x", 3)));
            }
            case DELTA -> {
                graph.state(new StateSpec.DeltaMatrix(name(), 2, 3, 2));
                Op op = new Op.GatedDeltaRule(name(), 1, KeySharing.GROUPED, weight("decay"), weight("time"));
                Value q = input(graph, "q", 3);
                Value k = graph.input(Feed.SHORT + "." + name(), ValueType.f32(RowSet.STEP, 3));
                Value v = input(graph, "v", 4);
                graph.output(name(), graph.add(name(), op, q, k, v, input(graph, "a", 2), input(graph, "b", 2)));
            }
        }
    }

    private void attention(Graph.Builder graph, int kvHeads, DType type, int window, Optional<WeightRef> sinks) {
        graph.state(new StateSpec.Kv(name(), kvHeads, 3, 2, type, window));
        Op op = new Op.Attention(name(), 2, 0.5f, 0f, sinks, InStep.ANCESTORS);
        Value q = input(graph, "q", 6);
        Value k = input(graph, "k", 3 * kvHeads);
        graph.output(name(), graph.add(name(), op, q, k, input(graph, "v", 2 * kvHeads)));
    }

    private Value input(Graph.Builder graph, String input, int columns) {
        return graph.input(name() + "." + input, ValueType.f32(RowSet.STEP, columns));
    }

    private static WeightRef weight(String name) {
        return WeightRef.of(MODEL, MODEL.tensor(name).orElseThrow());
    }
}
