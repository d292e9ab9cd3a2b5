package dev.tandem.backend.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.backend.cpu.GraphRunner.Part;
import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.MemoryModel;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AttentionTests {
    private static final int HEADS = 4;
    private static final int KV_HEADS = 2;
    private static final int DIM = 24;
    private static final float[] SINKS = {0.5f, -1f, 2f, 0f};

    private final MemoryModel model = new MemoryModel("test").floats("sinks", SINKS, HEADS);

    private Graph graph(DType type, int window, boolean sinks, float softCap) {
        return graph(type, window, sinks, softCap, Op.Attention.InStep.ANCESTORS);
    }

    private Graph graph(DType type, int window, boolean sinks, float softCap, Op.Attention.InStep inStep) {
        Graph.Builder builder = Graph.builder("attention");
        Value q = builder.input("q", ValueType.f32(RowSet.STEP, HEADS * DIM));
        Value k = builder.input("k", ValueType.f32(RowSet.STEP, KV_HEADS * DIM));
        Value v = builder.input("v", ValueType.f32(RowSet.STEP, KV_HEADS * DIM));
        builder.state(new StateSpec.Kv("kv", KV_HEADS, DIM, DIM, type, window));
        Optional<WeightRef> sink = sinks ? model.tensor("sinks").map(t -> WeightRef.of(model, t)) : Optional.empty();
        Op op = new Op.Attention("kv", HEADS, 0.25f, softCap, sink, inStep);
        return builder.output("y", builder.add("attn", op, q, k, v)).build();
    }

    private record Inputs(float[] q, float[] k, float[] v) {
        static Inputs random(int rows) {
            return new Inputs(
                    TestData.random(1, rows * HEADS * DIM),
                    TestData.random(2, rows * KV_HEADS * DIM),
                    TestData.random(3, rows * KV_HEADS * DIM));
        }

        Named rows(int from, int count) {
            return Named.of(
                    "q", TestData.slice(q, from * HEADS * DIM, count * HEADS * DIM),
                    "k", TestData.slice(k, from * KV_HEADS * DIM, count * KV_HEADS * DIM),
                    "v", TestData.slice(v, from * KV_HEADS * DIM, count * KV_HEADS * DIM));
        }
    }

    /** Feeds rows one after another and answers all results. */
    private static float[] oneByOne(GraphRunner runner, Inputs inputs, int rows) {
        float[] all = new float[rows * HEADS * DIM];
        try (SequenceState state = runner.newState()) {
            for (int row = 0; row < rows; row++) {
                float[] y = runner.run(List.of(Part.chain(state, 1)), inputs.rows(row, 1))
                        .get("y");
                System.arraycopy(y, 0, all, row * HEADS * DIM, y.length);
                state.commit(new int[] {0});
            }
        }
        return all;
    }

    private static double[] expected(Inputs in, int row, int head, int window, boolean sinks, float softCap) {
        int first = window == 0 ? 0 : Math.max(0, row + 1 - window);
        int kvHead = head / (HEADS / KV_HEADS);
        double[] y = new double[DIM];
        double sum = sinks ? Math.exp(SINKS[head]) : 0;
        for (int p = first; p <= row; p++) {
            double s = 0;
            for (int j = 0; j < DIM; j++) {
                s += (double) in.q[(row * HEADS + head) * DIM + j] * in.k[(p * KV_HEADS + kvHead) * DIM + j];
            }
            s *= 0.25;
            double w = Math.exp(softCap > 0 ? Math.tanh(s / softCap) * softCap : s);
            sum += w;
            for (int j = 0; j < DIM; j++) {
                y[j] += w * in.v[(p * KV_HEADS + kvHead) * DIM + j];
            }
        }
        for (int j = 0; j < DIM; j++) {
            y[j] /= sum;
        }
        return y;
    }

    @ParameterizedTest
    @CsvSource({"0,false,0", "0,true,0", "20,false,0", "20,true,3", "130,true,0", "0,false,2"})
    void equalsAPlainDoubleFormula(int window, boolean sinks, float softCap) {
        int rows = 290;
        Inputs inputs = Inputs.random(rows);
        try (GraphRunner runner =
                new GraphRunner(graph(DType.F32, window, sinks, softCap), model, Precision.REFERENCE)) {
            float[] y = oneByOne(runner, inputs, rows);
            for (int row = 0; row < rows; row++) {
                for (int head = 0; head < HEADS; head++) {
                    double[] expected = expected(inputs, row, head, window, sinks, softCap);
                    for (int j = 0; j < DIM; j++) {
                        assertEquals(expected[j], y[(row * HEADS + head) * DIM + j], 2e-6, "row " + row);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"F32,0,1", "F16,0,1", "F16,40,1", "F32,40,2", "F16,0,2"})
    void aRowDoesNotDependOnThePiecesOfThePrompt(DType type, int window, int threads) {
        int rows = 290;
        Inputs inputs = Inputs.random(rows);
        try (GraphRunner runner = new GraphRunner(
                graph(type, window, true, 0), model, Precision.REFERENCE, new ScalarKernels(), threads)) {
            int[] alone = TestData.bits(oneByOne(runner, inputs, rows));
            for (int piece : new int[] {2, 7, 33, 64, 65, 128}) {
                float[] all = new float[rows * HEADS * DIM];
                try (SequenceState state = runner.newState()) {
                    for (int at = 0; at < rows; at += piece) {
                        int count = Math.min(piece, rows - at);
                        float[] y = runner.run(List.of(Part.chain(state, count)), inputs.rows(at, count))
                                .get("y");
                        System.arraycopy(y, 0, all, at * HEADS * DIM, y.length);
                        state.commit(IntStream.range(0, count).toArray());
                    }
                }
                assertArrayEquals(alone, TestData.bits(all), "pieces of " + piece);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"F32,0", "F16,0", "F16,5", "F32,130"})
    void aRowOfATreeHasTheBitsOfItsPathAlone(DType type, int window) {
        int history = 125; // the tree crosses the end of a chunk
        int[] parents = {-1, 0, 0, 1, 2, 3, -1, 6, 5, 8, 8};
        Inputs inputs = Inputs.random(history + parents.length);
        try (GraphRunner runner = new GraphRunner(graph(type, window, true, 0), model, Precision.REFERENCE)) {
            try (SequenceState state = runner.newState()) {
                feed(runner, state, inputs, history);
                float[] tree = runner.run(
                                List.of(new Part(state, StepKind.VERIFY, parents)),
                                inputs.rows(history, parents.length))
                        .get("y");
                state.rollback();
                for (int row = 0; row < parents.length; row++) {
                    float[] alone = alongPath(runner, state, inputs, history, parents, row);
                    assertArrayEquals(
                            TestData.bits(alone),
                            TestData.bits(TestData.slice(tree, row * HEADS * DIM, HEADS * DIM)),
                            "row " + row);
                }
            }
        }
    }

    private static void feed(GraphRunner runner, SequenceState state, Inputs inputs, int rows) {
        runner.run(List.of(Part.chain(state, rows)), inputs.rows(0, rows));
        state.commit(IntStream.range(0, rows).toArray());
    }

    /** Result of a row after feeding its ancestors one by one to a copy of the state. */
    private static float[] alongPath(
            GraphRunner runner, SequenceState state, Inputs inputs, int history, int[] parents, int row) {
        ArrayDeque<Integer> path = new ArrayDeque<>();
        for (int at = row; at >= 0; at = parents[at]) {
            path.addFirst(at);
        }
        float[] y = {};
        try (SequenceState copy = state.fork()) {
            for (int at : path) {
                y = runner.run(List.of(Part.chain(copy, 1)), inputs.rows(history + at, 1))
                        .get("y");
                copy.commit(new int[] {0});
            }
        }
        return y;
    }

    @Test
    void rowsOfABlockSeeEachOtherAndLeaveNoTrace() {
        Inputs inputs = Inputs.random(9);
        Graph graph = graph(DType.F32, 0, false, 0, Op.Attention.InStep.BLOCK);
        try (GraphRunner runner = new GraphRunner(graph, model, Precision.REFERENCE);
                SequenceState state = runner.newState()) {
            feed(runner, state, inputs, 4);
            int[] chain = {-1, 0, 1, 2, 3};
            float[] block = runner.run(List.of(new Part(state, StepKind.VERIFY, chain)), inputs.rows(4, 5))
                    .get("y");
            state.rollback();
            assertEquals(4, state.committedRows());
            // The last row of a block sees what the last row of a chain sees; earlier rows see more.
            Graph causal = graph(DType.F32, 0, false, 0);
            try (GraphRunner other = new GraphRunner(causal, model, Precision.REFERENCE);
                    SequenceState fresh = other.newState()) {
                float[] rows = oneByOne(other, inputs, 9);
                assertArrayEquals(
                        TestData.bits(TestData.slice(rows, 8 * HEADS * DIM, HEADS * DIM)),
                        TestData.bits(TestData.slice(block, 4 * HEADS * DIM, HEADS * DIM)));
                assertEquals(0, fresh.committedRows());
            }
        }
    }

    @Test
    void aSequenceDoesNotDependOnItsNeighboursInTheBatch() {
        Inputs inputs = Inputs.random(160);
        try (GraphRunner runner = new GraphRunner(graph(DType.F16, 0, true, 0), model, Precision.REFERENCE);
                SequenceState first = runner.newState();
                SequenceState second = runner.newState();
                SequenceState alone = runner.newState()) {
            feed(runner, first, inputs, 100);
            feed(runner, second, inputs, 30);
            feed(runner, alone, inputs, 30);
            Named rows = inputs.rows(140, 8);
            float[] both = runner.run(List.of(Part.chain(first, 3), Part.chain(second, 5)), rows)
                    .get("y");
            float[] single = runner.run(List.of(Part.chain(alone, 5)), inputs.rows(143, 5))
                    .get("y");
            assertArrayEquals(
                    TestData.bits(single), TestData.bits(TestData.slice(both, 3 * HEADS * DIM, 5 * HEADS * DIM)));
        }
    }

    @Test
    void onlySelectedRowsAreQueriedWhileAllAreStored() {
        Inputs inputs = Inputs.random(40);
        Graph.Builder builder = Graph.builder("selected");
        Value q = builder.input("q", ValueType.f32(RowSet.STEP, HEADS * DIM));
        Value k = builder.input("k", ValueType.f32(RowSet.STEP, KV_HEADS * DIM));
        Value v = builder.input("v", ValueType.f32(RowSet.STEP, KV_HEADS * DIM));
        builder.state(new StateSpec.Kv("kv", KV_HEADS, DIM, DIM, DType.F32, 0));
        Value chosen = builder.add("select", new Op.SelectRows(), q);
        Op op = new Op.Attention("kv", HEADS, 0.25f, 0f, Optional.empty(), Op.Attention.InStep.ANCESTORS);
        Graph graph = builder.output("y", builder.add("attn", op, chosen, k, v)).build();
        try (GraphRunner whole = new GraphRunner(graph(DType.F32, 0, false, 0), model, Precision.REFERENCE);
                GraphRunner some = new GraphRunner(graph, model, Precision.REFERENCE);
                SequenceState state = some.newState()) {
            float[] all = oneByOne(whole, inputs, 40);
            float[] y = some.run(List.of(Part.chain(state, 40)), inputs.rows(0, 40), new int[] {7, 39})
                    .get("y");
            assertArrayEquals(
                    TestData.bits(TestData.slice(all, 7 * HEADS * DIM, HEADS * DIM)),
                    TestData.bits(TestData.slice(y, 0, HEADS * DIM)));
            assertArrayEquals(
                    TestData.bits(TestData.slice(all, 39 * HEADS * DIM, HEADS * DIM)),
                    TestData.bits(TestData.slice(y, HEADS * DIM, HEADS * DIM)));
        }
    }
}
