package dev.tandem.backend.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.testkit.MemoryModel;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each op against its formula in float64. */
final class OpTests {
    private static final int ROWS = 3;
    private static final int N = 42;

    private final float[] a = TestData.random(11, ROWS * N);
    private final float[] b = TestData.random(12, ROWS * N);
    private final MemoryModel model = new MemoryModel("test")
            .floats("gain", TestData.random(13, N), N)
            .floats("bias", TestData.random(14, N), N)
            .floats("head_gain", TestData.random(15, 14), 14);

    private WeightRef weight(String name) {
        return WeightRef.of(model, model.tensor(name).orElseThrow());
    }

    private float[] apply(Op op, float[]... inputs) {
        Graph.Builder graph = Graph.builder("op");
        Value[] values = new Value[inputs.length];
        Object[] data = new Object[2 * inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            values[i] = graph.input("in" + i, ValueType.f32(RowSet.STEP, inputs[i].length / ROWS));
            data[2 * i] = "in" + i;
            data[2 * i + 1] = inputs[i];
        }
        graph.output("y", graph.add("op", op, values));
        try (GraphRunner runner = new GraphRunner(graph.build(), model, Precision.REFERENCE)) {
            return runner.run(ROWS, Named.of(data));
        }
    }

    private static void assertClose(double expected, float actual) {
        assertEquals(expected, actual, 1e-6 * Math.max(1, Math.abs(expected)));
    }

    @Test
    void addAndMultiplyWorkElementByElement() {
        float[] sum = apply(new Op.Add(), a, b);
        float[] product = apply(new Op.Multiply(), a, b);
        for (int i = 0; i < a.length; i++) {
            assertEquals(a[i] + b[i], sum[i]);
            assertEquals(a[i] * b[i], product[i]);
        }
    }

    @Test
    void oneColumnServesAllColumns() {
        float[] one = {2f, -3f, 0.5f};
        float[] product = apply(new Op.Multiply(), a, one);
        float[] gated = apply(new Op.Gate(Activation.SIGMOID), one, a);
        for (int i = 0; i < a.length; i++) {
            assertEquals(a[i] * one[i / N], product[i]);
            assertClose(a[i] / (1 + Math.exp(-one[i / N])), gated[i]);
        }
    }

    @Test
    void scaleAndSoftCapFollowTheirFormulas() {
        float[] scaled = apply(new Op.Scale(0.3f), a);
        float[] capped = apply(new Op.SoftCap(1.5f), a);
        for (int i = 0; i < a.length; i++) {
            assertEquals(a[i] * 0.3f, scaled[i]);
            assertClose(Math.tanh(a[i] / 1.5) * 1.5, capped[i]);
        }
    }

    @Test
    void scaleByPositionGrowsWithEachPeriod() {
        float[] y = apply(new Op.ScaleByPosition(0.5, 2), a);
        for (int i = 0; i < a.length; i++) {
            int position = i / N;
            assertEquals(position < 2 ? a[i] : a[i] * (float) (1 + 0.5 * Math.log(2)), y[i]);
        }
    }

    private static DoubleUnaryOperator formula(Activation activation) {
        return switch (activation) {
            case SILU -> x -> x / (1 + Math.exp(-x));
            case SIGMOID -> x -> 1 / (1 + Math.exp(-x));
            case GELU_TANH -> x -> 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
            case GELU_ERF -> x -> 0.5 * x * (1 + erf(x / Math.sqrt(2)));
        };
    }

    /** Taylor series, enough for arguments below 4. */
    private static double erf(double x) {
        double term = x;
        double sum = x;
        for (int n = 1; n < 80; n++) {
            term *= -x * x / n;
            sum += term / (2 * n + 1);
        }
        return 2 / Math.sqrt(Math.PI) * sum;
    }

    @ParameterizedTest
    @EnumSource(Activation.class)
    void gateAppliesTheActivationToItsFirstInput(Activation activation) {
        float[] y = apply(new Op.Gate(activation), a, b);
        for (int i = 0; i < a.length; i++) {
            assertClose(formula(activation).applyAsDouble(a[i]) * b[i], y[i]);
        }
    }

    @Test
    void clampedGateBoundsBothInputs() {
        float[] y = apply(new Op.ClampedGate(1.702f, 0.8f), a, b);
        for (int i = 0; i < a.length; i++) {
            double g = Math.min(a[i], 0.8);
            double u = Math.max(-0.8, Math.min(b[i], 0.8));
            assertClose(g / (1 + Math.exp(-1.702 * g)) * (u + 1), y[i]);
        }
    }

    @Test
    void rmsNormDividesEachGroupByItsRootMeanSquare() {
        float[] whole = apply(new Op.RmsNorm(Optional.of(weight("gain")), N, 1e-5f), a);
        float[] groups = apply(new Op.RmsNorm(Optional.of(weight("head_gain")), 14, 1e-5f), a);
        float[] plain = apply(new Op.RmsNorm(Optional.empty(), N, 1e-5f), a);
        float[] gain = TestData.random(13, N);
        float[] headGain = TestData.random(15, 14);
        for (int i = 0; i < a.length; i++) {
            assertClose(a[i] / rms(i / N * N, N) * gain[i % N], whole[i]);
            assertClose(a[i] / rms(i / 14 * 14, 14) * headGain[i % 14], groups[i]);
            assertClose(a[i] / rms(i / N * N, N), plain[i]);
        }
    }

    private double rms(int from, int n) {
        double sum = 0;
        for (int i = from; i < from + n; i++) {
            sum += (double) a[i] * a[i];
        }
        return Math.sqrt(sum / n + 1e-5);
    }

    @Test
    void l2NormGivesUnitLengthAndKeepsZeroRows() {
        float[] x = a.clone();
        Arrays.fill(x, 14, 28, 0f);
        float[] y = apply(new Op.L2Norm(14, 1e-6f), x);
        double length = 0;
        for (int i = 0; i < 14; i++) {
            length += (double) y[i] * y[i];
            assertEquals(0f, y[14 + i]);
        }
        assertEquals(1.0, length, 1e-6);
    }

    @Test
    void layerNormCentresAndScales() {
        float[] y = apply(new Op.LayerNorm(weight("gain"), Optional.of(weight("bias")), 1e-5f), a);
        float[] gain = TestData.random(13, N);
        float[] bias = TestData.random(14, N);
        for (int row = 0; row < ROWS; row++) {
            double mean = 0;
            double variance = 0;
            for (int i = 0; i < N; i++) {
                mean += a[row * N + i] / (double) N;
            }
            for (int i = 0; i < N; i++) {
                variance += Math.pow(a[row * N + i] - mean, 2) / N;
            }
            for (int i = 0; i < N; i++) {
                double expected = (a[row * N + i] - mean) / Math.sqrt(variance + 1e-5) * gain[i] + bias[i];
                assertEquals(expected, y[row * N + i], 3e-6);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Op.Rope.Pairing.class)
    void ropeTurnsEachPairByThePositionsAngle(Op.Rope.Pairing pairing) {
        RopeSpec spec = new RopeSpec(10_000, 8, new RopeSpec.Scaling.None(), List.of());
        float[] y = apply(new Op.Rope(pairing, spec, 14, 3), a);
        float[] expected = a.clone();
        for (int row = 0; row < ROWS; row++) {
            for (int head = 0; head < N / 14; head++) {
                for (int i = 0; i < 4; i++) {
                    double angle = row * Math.pow(10_000, -2.0 * i / 8);
                    int base = row * N + head * 14 + 3;
                    boolean halves = pairing == Op.Rope.Pairing.HALVES;
                    int first = base + (halves ? i : 2 * i);
                    int second = halves ? first + 4 : first + 1;
                    expected[first] = (float) (a[first] * Math.cos(angle) - a[second] * Math.sin(angle));
                    expected[second] = (float) (a[second] * Math.cos(angle) + a[first] * Math.sin(angle));
                }
            }
        }
        assertArrayEquals(expected, y, 1e-6f);
    }

    @Test
    void concatAndColumnsWorkGroupByGroup() {
        float[] joined = apply(new Op.Concat(3), a, b);
        float[] part = apply(new Op.Columns(3, 2, 5), a);
        for (int row = 0; row < ROWS; row++) {
            for (int group = 0; group < 3; group++) {
                for (int i = 0; i < 14; i++) {
                    assertEquals(a[row * N + group * 14 + i], joined[row * 2 * N + group * 28 + i]);
                    assertEquals(b[row * N + group * 14 + i], joined[row * 2 * N + group * 28 + 14 + i]);
                }
                for (int i = 0; i < 5; i++) {
                    assertEquals(a[row * N + group * 14 + 2 + i], part[row * 15 + group * 5 + i]);
                }
            }
        }
    }

    @Test
    void argMaxTakesTheLowerIdOnATieAndNaNLast() {
        float[] x = a.clone();
        x[5] = 9f;
        x[30] = 9f;
        x[N + 1] = Float.NaN;
        x[N + 2] = 7f;
        Arrays.fill(x, 2 * N, 3 * N, Float.NEGATIVE_INFINITY);
        assertArrayEquals(new float[] {5, 2, 0}, apply(new Op.ArgMax(), x));
    }

    @Test
    void topKOrdersByValueThenIdAndGivesLogProbabilities() {
        float[] x = a.clone();
        x[40] = x[4];
        Graph.Builder graph = Graph.builder("top");
        Value in = graph.input("x", ValueType.f32(RowSet.STEP, N));
        Value t = graph.input("t", ValueType.f32(RowSet.STEP, 1));
        List<Value> out = graph.addAll("top", new Op.TopKLogProb(N), in, t);
        graph.output("ids", out.get(0)).output("logp", out.get(1));
        float[] inverse = {1f, 2f, 0.5f};
        try (GraphRunner runner = new GraphRunner(graph.build(), model, Precision.REFERENCE);
                var state = runner.newState()) {
            var y = runner.run(List.of(GraphRunner.Part.chain(state, ROWS)), Named.of("x", x, "t", inverse));
            for (int row = 0; row < ROWS; row++) {
                double sum = 0;
                for (int i = 0; i < N; i++) {
                    sum += Math.exp((double) x[row * N + i] * inverse[row]);
                }
                for (int rank = 0; rank < N; rank++) {
                    int id = (int) y.get("ids")[row * N + rank];
                    double expected = (double) x[row * N + id] * inverse[row] - Math.log(sum);
                    assertEquals(expected, y.get("logp")[row * N + rank], 3e-6);
                    if (rank > 0) {
                        int before = (int) y.get("ids")[row * N + rank - 1];
                        float difference = x[row * N + before] - x[row * N + id];
                        assertEquals(true, difference > 0 || (difference == 0 && before < id));
                    }
                }
            }
        }
    }
}
