package dev.tandem.backend.cpu.vector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.backend.cpu.kernel.Scratch;
import dev.tandem.backend.cpu.kernel.WeightData;
import dev.tandem.backend.cpu.kernel.WorkerPool;
import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.model.DType;
import java.lang.foreign.Arena;
import java.util.Random;
import java.util.function.BiConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class VectorKernelsTests {
    private static final long SEED = 72;
    private static final Kernels SCALAR = new ScalarKernels();
    private static final int[] SIZES = {1, 13, 31, 32, 33, 63, 64, 100, 128};

    private final Random random = new Random(SEED);

    /** Runs one op by both twins on copies of the same values and compares all of them, the untouched ones too. */
    private void compare(Width width, int size, String what, BiConsumer<Kernels, float[]> op) {
        float[] expected = Samples.values(size, random);
        float[] actual = expected.clone();
        op.accept(SCALAR, expected);
        op.accept(width.kernels(), actual);
        Samples.assertSameBits(expected, actual, what);
    }

    @ParameterizedTest
    @EnumSource(Width.class)
    void normsHaveTheScalarBits(Width width) {
        for (int n : SIZES) {
            float[] x = Samples.values(n + 3, random);
            float[] gain = Samples.values(n, random);
            float[] bias = Samples.values(n, random);
            compare(width, n + 5, "rmsNorm " + n, (k, y) -> k.rmsNorm(x, 3, gain, n, 1e-6f, y, 2));
            compare(width, n + 5, "plain rmsNorm " + n, (k, y) -> k.rmsNorm(x, 3, null, n, 1e-6f, y, 2));
            compare(width, n + 5, "rmsNorm in place " + n, (k, y) -> k.rmsNorm(y, 2, gain, n, 1e-6f, y, 2));
            compare(width, n + 5, "l2Norm " + n, (k, y) -> k.l2Norm(x, 3, n, 1e-6f, y, 2));
            compare(width, n + 5, "layerNorm " + n, (k, y) -> k.layerNorm(x, 3, gain, bias, n, 1e-6f, y, 2));
        }
    }

    @ParameterizedTest
    @EnumSource(Width.class)
    void elementwiseOpsHaveTheScalarBits(Width width) {
        for (int n : SIZES) {
            float[] a = Samples.values(n + 1, random);
            float[] b = Samples.values(n + 2, random);
            compare(width, n + 4, "add " + n, (k, y) -> k.add(a, 1, b, 2, y, 3, n));
            compare(width, n + 4, "add in place " + n, (k, y) -> k.add(y, 3, b, 2, y, 3, n));
            compare(width, n + 4, "multiply " + n, (k, y) -> k.multiply(a, 1, b, 2, y, 3, n));
            compare(width, n + 4, "scale " + n, (k, y) -> k.scale(a, 1, 0.3f, y, 3, n));
            compare(width, n + 4, "softCap " + n, (k, y) -> k.softCap(a, 1, 30f, y, 3, n));
            compare(width, n + 4, "join " + n, (k, y) -> k.join(y, 3, 0.7f, a, 1, 0.2f, n));
            compare(width, n + 4, "accumulate " + n, (k, y) -> k.accumulate(0.7f, a, 1, y, 3, n));
            compare(width, n + 4, "clampedGate " + n, (k, y) -> k.clampedGate(1.702f, 7f, a, 1, b, 2, y, 3, n));
        }
    }

    @ParameterizedTest
    @EnumSource(Width.class)
    void activationsHaveTheScalarBits(Width width) {
        for (Activation activation : Activation.values()) {
            for (int n : new int[] {1, 31, 600}) {
                float[] a = Samples.values(n + 1, random);
                float[] b = Samples.values(n + 2, random);
                compare(width, n + 4, activation + " " + n, (k, y) -> k.activate(activation, a, 1, y, 3, n));
                compare(width, n + 4, activation + " gate " + n, (k, y) -> k.gate(activation, a, 1, b, 2, y, 3, n));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Width.class)
    void ropeHasTheScalarBits(Width width) {
        for (int pairs : new int[] {1, 8, 13, 16, 32, 64}) {
            float[] table = Samples.values(2 * pairs + 1, random);
            compare(width, 2 * pairs + 2, "halves " + pairs, (k, x) -> k.rope(x, 1, false, table, 1, pairs));
            compare(width, 2 * pairs + 2, "neighbours " + pairs, (k, x) -> k.rope(x, 1, true, table, 1, pairs));
        }
    }

    @ParameterizedTest
    @EnumSource(Width.class)
    void scoresHaveTheScalarBits(Width width) {
        for (int keyDim : new int[] {1, 13, 31, 33, 63, 64, 80, 100, 128, 256}) {
            float[] q = Samples.values(keyDim + 1, random);
            float[] keys = Samples.values(keyDim * Kernels.CHUNK + 2, random);
            for (int[] range : new int[][] {{0, 1}, {0, 7}, {0, 9}, {5, 128}, {0, 128}, {127, 128}, {33, 54}}) {
                compare(
                        width,
                        Kernels.CHUNK,
                        keyDim + " at " + range[0],
                        (k, s) -> k.scores(q, 1, keys, 2, keyDim, range[0], range[1], s, 0));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Width.class)
    void scoresOfTwoQueriesAreThoseOfEach(Width width) {
        for (int keyDim : new int[] {1, 13, 16, 17, 33, 63, 64, 80, 100, 128, 256}) {
            float[] q = Samples.values(2 * keyDim + 1, random);
            float[] keys = Samples.values(keyDim * Kernels.CHUNK + 2, random);
            for (int[] range : new int[][] {{0, 1}, {0, 9}, {5, 128}, {0, 128}, {127, 128}, {33, 54}}) {
                compare(width, 2 * Kernels.CHUNK, keyDim + " at " + range[0], (k, s) -> {
                    float[] both = new float[2 * Kernels.CHUNK];
                    k.scoresOfTwo(q, 1, 1 + keyDim, keys, 2, keyDim, range[0], range[1], both, new Scratch());
                    for (int i = range[0]; i < range[1]; i++) {
                        s[i] = both[i];
                        s[Kernels.CHUNK + i] = both[Kernels.CHUNK + i];
                    }
                });
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Width.class)
    void softmaxWeightsAndTheirSumHaveTheScalarBits(Width width) {
        for (int[] range : new int[][] {{0, 1}, {0, 13}, {3, 128}, {0, 128}, {120, 121}}) {
            compare(width, Kernels.CHUNK + 1, "from " + range[0], (k, s) -> {
                s[Kernels.CHUNK] = k.softmaxWeights(s, range[0], range[1], 40f);
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Width.class)
    void weightedSumsHaveTheScalarBits(Width width) {
        for (int valueDim : new int[] {1, 13, 31, 33, 63, 64, 100, 128}) {
            float[] w = Samples.values(Kernels.CHUNK, random);
            float[] v = Samples.values(valueDim * Kernels.CHUNK + 2, random);
            for (int[] range : new int[][] {{0, 1}, {3, 9}, {0, 128}}) {
                compare(
                        width,
                        valueDim + 2,
                        valueDim + " from " + range[0],
                        (k, o) -> k.weightedSum(w, range[0], range[1], v, 2, valueDim, o, 1));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Width.class)
    void deltaStepsHaveTheScalarBits(Width width) {
        for (int keyDim : new int[] {1, 13, 32, 64, 100}) {
            int valueDim = 9;
            float[] q = Samples.values(keyDim + 1, random);
            float[] key = Samples.values(keyDim + 2, random);
            float[] v = Samples.values(valueDim + 1, random);
            int size = 1 + keyDim * valueDim;
            compare(width, size + valueDim, "delta " + keyDim, (k, s) -> {
                k.deltaStep(s, 1, key, 2, v, 1, 0.9f, 0.4f, keyDim, valueDim, q, 1, s, size);
                k.deltaStep(s, 1, key, 2, v, 1, 0.9f, 0.4f, keyDim, valueDim, null, 0, s, size);
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Width.class)
    void referenceMatricesHaveTheScalarBits(Width width) {
        try (WorkerPool pool = new WorkerPool(1)) {
            for (DType type : new DType[] {DType.F32, DType.F16, DType.BF16, DType.Q8_0, DType.Q6_K}) {
                for (int columns : type.blockElements() == 1 ? new int[] {1, 13, 33, 100, 256} : new int[] {256}) {
                    WeightData weight = dense(type, 5, columns);
                    Activations x = new Activations(columns);
                    x.of(Samples.values(3 * columns, random));
                    float[] expected = multiply(SCALAR.matrix(weight, false, pool, Arena.global()), x);
                    float[] actual = multiply(width.kernels().matrix(weight, false, pool, Arena.global()), x);
                    Samples.assertSameBits(expected, actual, type + " " + columns);
                }
            }
        }
    }

    private WeightData dense(DType type, int rows, int columns) {
        if (type.quantized()) {
            return Samples.weight(type, rows, columns, random);
        }
        byte[] bytes = new byte[rows * columns * type.blockBytes()];
        random.nextBytes(bytes);
        for (int i = type.blockBytes() - 1; i < bytes.length; i += type.blockBytes()) {
            bytes[i] &= (byte) 0xb3; // neither infinite nor NaN
        }
        return Samples.of(type, rows, columns, bytes);
    }

    private static float[] multiply(Matrix matrix, Activations x) {
        assertEquals(false, matrix.integer());
        float[] y = new float[3 * matrix.rows()];
        matrix.multiply(x, 0, 3, y, 0, matrix.rows(), 0, matrix.rows(), new Scratch());
        return y;
    }
}
