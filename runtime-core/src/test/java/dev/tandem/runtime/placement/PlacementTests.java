package dev.tandem.runtime.placement;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.backend.cpu.CpuBackend;
import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.runtime.placement.Placement.Part;
import dev.tandem.runtime.placement.Placement.Refused;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.oracle.OracleProvider;
import dev.tandem.testkit.wrap.LameBackend;
import dev.tandem.testkit.wrap.WrappedExecutable;
import dev.tandem.testkit.wrap.WrappingBackend;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A backend that refuses something: the graph is cut, the cut is reported, and no bit changes. */
final class PlacementTests {
    private final CpuBackend cpu = new CpuBackend(
            new DeviceInfo("cpu", "test", DeviceInfo.Kind.CPU, -1, -1, "scalar"), new ScalarKernels(), 1);

    @AfterEach
    void close() {
        cpu.close();
    }

    /** Every op of every model, refused alone. */
    static Stream<Arguments> ops() {
        return Stream.of("llama", "qwen2", "qwen3", "qwen3moe")
                .flatMap(model -> computing(PlacedModel.graph(model))
                        .map(node -> node.op().getClass())
                        .distinct()
                        .map(op -> Arguments.arguments(model, op)));
    }

    private static Stream<Node> computing(Graph graph) {
        return graph.nodes().stream()
                .filter(node -> !(node.op() instanceof Op.Input) && !(node.op() instanceof Op.Output));
    }

    @ParameterizedTest
    @MethodSource("ops")
    void anyRefusedOpRunsOnTheReferenceWithTheSameBits(String model, Class<? extends Op> op) {
        LameBackend lame = LameBackend.withoutOp(cpu, op);
        try (PlacedModel placed = new PlacedModel(model, lame, cpu)) {
            checkCut(placed, lame, node -> op.isInstance(node.op()), "no kernel for " + op.getSimpleName());
            assertSameBits(model, placed);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"llama", "qwen3", "qwen3moe"})
    void everySecondLayerMayBeRefused(String model) {
        LameBackend lame = LameBackend.withoutEverySecondLayer(cpu);
        try (PlacedModel placed = new PlacedModel(model, lame, cpu)) {
            checkCut(placed, lame, node -> node.label().startsWith("blk.1."), "odd layers are refused");
            assertEquals(2, placed.placement().crossings());
            assertSameBits(model, placed);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"BF16", "F32"})
    void oneWeightTypeMayBeRefused(DType type) {
        LameBackend lame = LameBackend.withoutWeightType(cpu, type);
        try (PlacedModel placed = new PlacedModel("qwen3moe", lame, cpu)) {
            checkCut(
                    placed,
                    lame,
                    node -> node.op().weights().stream().anyMatch(w -> w.type() == type),
                    "no kernel reads " + type);
            assertSameBits("qwen3moe", placed);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Attention", "Rope", "Gate", "Embed"})
    void anotherArithmeticGivesCloseResults(String op) {
        Backend oracle = OracleProvider.open();
        LameBackend lame = new LameBackend(
                oracle, node -> node.op().name().equals(op) ? Optional.of("not here") : Optional.empty());
        try (PlacedModel whole = new PlacedModel("qwen3", cpu, cpu);
                PlacedModel placed = new PlacedModel("qwen3", lame, cpu)) {
            assertTrue(placed.placement().crossings() > 0);
            Map<String, List<float[]>> expected = whole.outputs();
            placed.outputs().forEach((name, steps) -> {
                for (int step = 0; step < steps.size(); step++) {
                    float[] right = expected.getOrDefault(name, List.of()).get(step);
                    assertClose(right, steps.get(step), name + " of step " + step);
                }
            });
        }
    }

    private static void assertClose(float[] expected, float[] actual, String message) {
        assertEquals(expected.length, actual.length, message);
        double difference = 0;
        double size = 0;
        for (int i = 0; i < expected.length; i++) {
            difference += Math.pow(expected[i] - actual[i], 2);
            size += Math.pow(expected[i], 2);
        }
        String share = message + ": relative error " + Math.sqrt(difference / size);
        assertTrue(difference <= 1e-8 * size, share);
    }

    /** Who is where: every node once and in order, refused ones on the reference and reported. */
    private void checkCut(PlacedModel placed, LameBackend lame, Predicate<Node> refused, String reason) {
        Placement placement = placed.placement();
        List<Node> nodes = computing(placed.graph()).toList();
        List<Node> inParts = placement.parts().stream()
                .flatMap(part -> computing(part.graph()))
                .toList();
        assertEquals(nodes, inParts, "nodes of all parts");
        assertEquals(
                nodes.stream()
                        .filter(refused)
                        .map(node -> new Refused(node.label(), node.op().name(), reason))
                        .toList(),
                placement.refused());
        assertFalse(placement.refused().isEmpty());
        assertEquals(placement.parts().size() - 1, placement.crossings());
        assertTrue(placement.crossings() <= Placement.MAX_CROSSINGS, () -> placement.crossings() + " crossings");
        Backend before = null;
        for (Part part : placement.parts()) {
            assertFalse(part.backend().equals(before), "two neighbours on one backend");
            before = part.backend();
            for (Node node : computing(part.graph()).toList()) {
                boolean onLame = part.backend().equals(lame);
                assertFalse(onLame && refused.test(node), () -> node.label() + " is where it was refused");
                boolean needed = refused.test(node) || placement.moved().isPresent();
                assertTrue(onLame || needed, () -> node.label() + " was moved for nothing");
            }
        }
    }

    private void assertSameBits(String model, PlacedModel placed) {
        try (PlacedModel whole = new PlacedModel(model, cpu, cpu)) {
            assertEquals(0, whole.placement().crossings());
            Map<String, List<float[]>> expected = whole.outputs();
            Map<String, List<float[]>> actual = placed.outputs();
            assertEquals(expected.keySet(), actual.keySet());
            expected.forEach((name, steps) -> {
                for (int step = 0; step < steps.size(); step++) {
                    float[] mine = actual.getOrDefault(name, List.of()).get(step);
                    assertArrayEquals(bits(steps.get(step)), bits(mine), name + " of step " + step);
                }
            });
        }
    }

    private static int[] bits(float[] values) {
        int[] bits = new int[values.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = Float.floatToRawIntBits(values[i]);
        }
        return bits;
    }

    /** Layers of a sum and a product each. */
    private static Graph layers(int count) {
        Graph.Builder graph = Graph.builder("layers");
        Value x = graph.input("x", ValueType.f32(RowSet.STEP, 4));
        for (int i = 0; i < count; i++) {
            x = graph.add("blk." + i + ".scale", new Op.Scale(2), x);
            x = graph.add("blk." + i + ".cap", new Op.SoftCap(3), x);
        }
        return graph.output("y", graph.add("head", new Op.Scale(3), x)).build();
    }

    @Test
    void upToTheLimitOnlyRefusedNodesMove() {
        LameBackend lame = LameBackend.withoutOp(cpu, Op.SoftCap.class);
        Placement placement = Placement.of(layers(4), lame, cpu, Precision.FAST);
        assertEquals(Placement.MAX_CROSSINGS, placement.crossings());
        assertEquals(Optional.empty(), placement.moved());
    }

    @Test
    void beyondTheLimitWholeLayersMoveAndItIsSaid() {
        LameBackend lame = LameBackend.withoutOp(cpu, Op.SoftCap.class);
        Placement placement = Placement.of(layers(5), lame, cpu, Precision.FAST);
        assertEquals(5, placement.refused().size());
        assertEquals(1, placement.crossings());
        assertEquals(Optional.of("10 crossings per step exceed 8: whole layers moved"), placement.moved());
        assertEquals(cpu, placement.parts().getFirst().backend());
        assertEquals(lame, placement.parts().getLast().backend());
        assertEquals(1, computing(placement.parts().getLast().graph()).count());
    }

    @Test
    void whereLayersDoNotHelpTheModelMovesAndItIsSaid() {
        LameBackend lame = LameBackend.withoutEverySecondLayer(cpu);
        Placement placement = Placement.of(layers(11), lame, cpu, Precision.FAST);
        assertEquals(10, placement.refused().size());
        assertEquals(0, placement.crossings());
        assertEquals(cpu, placement.parts().getFirst().backend());
        assertEquals(Optional.of("10 crossings per step exceed 8, even by layers: the model moved"), placement.moved());
    }

    @Test
    void nodesOfOneSlotStayTogether() {
        Graph.Builder builder = Graph.builder("shared slot");
        Value x = builder.input("x", ValueType.f32(RowSet.STEP, 4));
        builder.state(new StateSpec.Kv("kv", 1, 4, 4, DType.F32, 0));
        builder.addAll("store", new Op.KvAppend("kv"), x, x);
        Value y = builder.add("scale", new Op.Scale(2), x);
        Op attention = new Op.Attention("kv", 1, 1f, 0f, Optional.empty(), Op.Attention.InStep.ANCESTORS);
        Graph graph =
                builder.output("y", builder.add("attend", attention, y, x, x)).build();
        LameBackend lame = LameBackend.withoutOp(cpu, Op.KvAppend.class);
        Placement placement = Placement.of(graph, lame, cpu, Precision.FAST);
        assertEquals(List.of(new Refused("store", "KvAppend", "no kernel for KvAppend")), placement.refused());
        Set<Backend> owners = new HashSet<>();
        placement.parts().stream()
                .filter(part -> !part.graph().states().isEmpty())
                .forEach(part -> owners.add(part.backend()));
        assertEquals(Set.of(cpu), owners);
        try (PlacedGraph placed =
                new PlacedGraph(placement, new Backend.CompileOptions(Precision.FAST, true, 4), Map.of())) {
            assertEquals(graph.states(), placed.slots().get(cpu), "the slot once, though two parts use it");
        }
    }

    @Test
    void onlyThePartWithTheEmbeddingGetsTokens() {
        LameBackend lame = LameBackend.withoutOp(new TokenCheck(cpu), Op.Embed.class);
        try (PlacedModel placed = new PlacedModel("qwen3", lame, cpu)) {
            assertEquals(1, placed.placement().crossings());
            assertSameBits("qwen3", placed);
        }
    }

    /** Refuses tokens, as a backend whose graphs have no embedding may. */
    private static final class TokenCheck extends WrappingBackend {
        TokenCheck(Backend inner) {
            super(inner);
        }

        @Override
        public Executable compile(Graph graph, CompileOptions options, List<WeightSet> weights) {
            return new WrappedExecutable(inner().compile(graph, options, unwrap(weights))) {
                @Override
                public Step run(Batch batch) {
                    assertEquals(0, batch.tokens().length, "tokens for " + graph.name());
                    return super.run(batch);
                }
            };
        }
    }
}
