package dev.tandem.backend.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.backend.cpu.GraphRunner.Part;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.GatedDeltaRule.KeySharing;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.testkit.MemoryModel;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Short convolution and gated delta rule: formulas, and transactions over trees. */
final class RecurrentTests {
    private static final int HEADS = 4;
    private static final int KEY_HEADS = 2;
    private static final int KEY = 6;
    private static final int VALUE = 5;
    private static final int WIDTH = 4;
    private static final int CHANNELS = HEADS * VALUE;
    private static final int[] TREE = {-1, 0, 0, 2, 1, 4, -1, 3};

    private final float[] kernel = TestData.random(31, CHANNELS * WIDTH);
    private final float[] decay = {-0.5f, -1f, -0.1f, -2f};
    private final float[] timeBias = TestData.random(33, HEADS);
    private final MemoryModel model = new MemoryModel("test")
            .floats("kernel", kernel, CHANNELS, WIDTH)
            .floats("decay", decay, HEADS)
            .floats("time", timeBias, HEADS);

    private WeightRef weight(String name) {
        return WeightRef.of(model, model.tensor(name).orElseThrow());
    }

    private Graph graph(KeySharing sharing) {
        Graph.Builder graph = Graph.builder("recurrent");
        Value q = graph.input("q", ValueType.f32(RowSet.STEP, KEY_HEADS * KEY));
        Value k = graph.input("k", ValueType.f32(RowSet.STEP, KEY_HEADS * KEY));
        Value x = graph.input("x", ValueType.f32(RowSet.STEP, CHANNELS));
        Value a = graph.input("a", ValueType.f32(RowSet.STEP, HEADS));
        Value b = graph.input("b", ValueType.f32(RowSet.STEP, HEADS));
        graph.state(new StateSpec.ConvWindow("conv", CHANNELS, WIDTH));
        graph.state(new StateSpec.DeltaMatrix("delta", HEADS, KEY, VALUE));
        Op conv = new Op.ShortConv("conv", weight("kernel"), Optional.empty(), Optional.of(Activation.SILU));
        Value v = graph.add("conv", conv, x);
        Op rule = new Op.GatedDeltaRule("delta", KEY_HEADS, sharing, weight("decay"), weight("time"));
        return graph.output("conv", v)
                .output("y", graph.add("delta", rule, q, k, v, a, b))
                .build();
    }

    private static Named inputs(int rows) {
        float[] k = TestData.random(42, rows * KEY_HEADS * KEY);
        for (int i = 0; i < k.length; i++) {
            k[i] *= 0.4f; // keys of about unit length, as the models have
        }
        return Named.of(
                "q", TestData.random(41, rows * KEY_HEADS * KEY),
                "k", k,
                "x", TestData.random(43, rows * CHANNELS),
                "a", TestData.random(44, rows * HEADS),
                "b", TestData.random(45, rows * HEADS));
    }

    private static Named rows(Named all, int total, int from, int count) {
        return all.map(array -> {
            int columns = array.length / total;
            return TestData.slice(array, from * columns, count * columns);
        });
    }

    @ParameterizedTest
    @EnumSource(KeySharing.class)
    void equalsAPlainDoubleFormula(KeySharing sharing) {
        int n = 9;
        Named in = inputs(n);
        try (GraphRunner runner = new GraphRunner(graph(sharing), model, Precision.REFERENCE);
                SequenceState state = runner.newState()) {
            Named out = runner.run(List.of(Part.chain(state, n)), in);
            double[][][] s = new double[HEADS][VALUE][KEY];
            for (int row = 0; row < n; row++) {
                for (int head = 0; head < HEADS; head++) {
                    int keyHead = sharing == KeySharing.TILED ? head % KEY_HEADS : head / (HEADS / KEY_HEADS);
                    double rate = Math.log1p(Math.exp(in.get("a")[row * HEADS + head] + timeBias[head]));
                    double g = Math.exp(rate * decay[head]);
                    double beta = 1 / (1 + Math.exp(-in.get("b")[row * HEADS + head]));
                    for (int i = 0; i < VALUE; i++) {
                        double v = conv(in.get("x"), row, head * VALUE + i);
                        assertEquals(v, out.get("conv")[row * CHANNELS + head * VALUE + i], 1e-5);
                        double u = 0;
                        for (int j = 0; j < KEY; j++) {
                            s[head][i][j] *= g;
                            u += s[head][i][j] * in.get("k")[(row * KEY_HEADS + keyHead) * KEY + j];
                        }
                        double y = 0;
                        for (int j = 0; j < KEY; j++) {
                            int key = (row * KEY_HEADS + keyHead) * KEY + j;
                            s[head][i][j] += in.get("k")[key] * (v - u) * beta;
                            y += s[head][i][j] * in.get("q")[key];
                        }
                        assertEquals(y, out.get("y")[(row * HEADS + head) * VALUE + i], 1e-4);
                    }
                }
            }
        }
    }

    private double conv(float[] x, int row, int channel) {
        double sum = 0;
        for (int tap = 0; tap < WIDTH; tap++) {
            int at = row - WIDTH + 1 + tap;
            sum += at < 0 ? 0 : (double) kernel[channel * WIDTH + tap] * x[at * CHANNELS + channel];
        }
        return sum / (1 + Math.exp(-sum));
    }

    @Test
    void anyCommittedPathLeavesTheStateOfItsTokensFedOneByOne() {
        int history = 5;
        int total = history + TREE.length + 1;
        Named in = inputs(total);
        try (GraphRunner runner = new GraphRunner(graph(KeySharing.GROUPED), model, Precision.REFERENCE)) {
            for (int leaf = -1; leaf < TREE.length; leaf++) {
                int[] path = path(leaf);
                try (SequenceState tree = runner.newState();
                        SequenceState single = runner.newState()) {
                    runner.run(List.of(Part.chain(tree, history)), rows(in, total, 0, history));
                    tree.commit(new int[] {0, 1, 2, 3, 4});
                    Named open = runner.run(
                            List.of(new Part(tree, StepKind.VERIFY, TREE)), rows(in, total, history, TREE.length));
                    float[] alone = {};
                    for (int row = 0; row < history + path.length; row++) {
                        int at = row < history ? row : history + path[row - history];
                        alone = runner.run(List.of(Part.chain(single, 1)), rows(in, total, at, 1))
                                .get("y");
                        single.commit(new int[] {0});
                    }
                    if (leaf >= 0) {
                        float[] inTree = TestData.slice(open.get("y"), leaf * CHANNELS, CHANNELS);
                        assertArrayEquals(TestData.bits(alone), TestData.bits(inTree), "row " + leaf);
                    }
                    tree.commit(path);
                    assertArrayEquals(StateBytes.of(single), StateBytes.of(tree), "path to " + leaf);
                }
            }
        }
    }

    @Test
    void rollbackLeavesNoTrace() {
        Named in = inputs(12);
        try (GraphRunner runner = new GraphRunner(graph(KeySharing.TILED), model, Precision.REFERENCE);
                SequenceState state = runner.newState()) {
            runner.run(List.of(Part.chain(state, 4)), rows(in, 12, 0, 4));
            state.commit(new int[] {0, 1, 2, 3});
            byte[] before = StateBytes.of(state);
            runner.run(List.of(new Part(state, StepKind.VERIFY, TREE)), rows(in, 12, 4, TREE.length));
            state.rollback();
            assertArrayEquals(before, StateBytes.of(state));
            assertEquals(4, state.truncate(9));
            assertEquals(0, state.truncate(3), "a recurrence keeps no checkpoint between");
        }
    }

    private static int[] path(int leaf) {
        int depth = 0;
        for (int at = leaf; at >= 0; at = TREE[at]) {
            depth++;
        }
        int[] path = new int[depth];
        for (int at = leaf; at >= 0; at = TREE[at]) {
            path[--depth] = at;
        }
        return path;
    }
}
