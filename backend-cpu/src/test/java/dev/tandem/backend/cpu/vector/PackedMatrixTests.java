package dev.tandem.backend.cpu.vector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.backend.cpu.kernel.Scratch;
import dev.tandem.backend.cpu.kernel.WeightData;
import dev.tandem.backend.cpu.kernel.WorkerPool;
import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.numeric.IntegerBlocks;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class PackedMatrixTests {
    private static final long SEED = 71;
    private static final Kernels SCALAR = new ScalarKernels();
    private static final WorkerPool POOL = new WorkerPool(2);
    private static final int[] COUNTS = {1, 2, 3, 7, 33};

    @AfterAll
    static void closePool() {
        POOL.close();
    }

    static Stream<Arguments> typesAndWidths() {
        return Arrays.stream(DType.values())
                .filter(IntegerBlocks::supports)
                .flatMap(type -> Arrays.stream(Width.values()).map(width -> Arguments.of(type, width)));
    }

    @ParameterizedTest
    @MethodSource("typesAndWidths")
    void hasTheScalarBitsAtAwkwardSizes(DType type, Width width) {
        Random random = new Random(SEED);
        int unit = Math.max(IntegerBlocks.BLOCK, type.blockElements());
        for (int rows : new int[] {1, 7, 31, 33, 97}) {
            for (int columns : new int[] {unit, 3 * unit, 9 * unit}) {
                if (rows * columns < 32_000) {
                    WeightData weight = Samples.weight(type, rows, columns, random);
                    compare(weight, width, COUNTS[random.nextInt(COUNTS.length)], random);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("typesAndWidths")
    void hasTheScalarBitsForAnyNumberOfActivationRows(DType type, Width width) {
        Random random = new Random(SEED);
        WeightData weight = Samples.weight(type, 33, 256, random);
        for (int count : new int[] {1, 2, 3, 4, 5, 7, 15, 16, 17, 33, 64, 65}) {
            compare(weight, width, count, random);
        }
    }

    @ParameterizedTest
    @MethodSource("typesAndWidths")
    void doesNotOverflowAtTheExtremes(DType type, Width width) {
        Random random = new Random(SEED);
        for (int value : new int[] {0x00, 0xff, 0x80, 0x7f}) {
            WeightData weight = Samples.extreme(type, 33, 256, value, random);
            for (int sign : new int[] {1, -1, 0}) {
                float[] x = new float[4 * 256];
                for (int i = 0; i < x.length; i++) {
                    x[i] = 127f * (sign != 0 ? sign : random.nextBoolean() ? 1 : -1);
                }
                compare(weight, width, x, 4);
                compare(weight, width, Arrays.copyOf(x, 256), 1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Width.class)
    void multipliesARangeOfRowsAndLeavesTheOthersAlone(Width width) {
        Random random = new Random(SEED);
        WeightData weight = Samples.weight(DType.Q8_0, 200, 64, random);
        Matrix matrix = width.kernels().matrix(weight, true, POOL, Arena.global());
        Activations x = quantized(SCALAR, Samples.values(6 * 64, random), 6, 64);
        float[] all = multiply(SCALAR.matrix(weight, true, POOL, Arena.global()), x, 6);
        int from = matrix.rowGroup();
        int to = Math.min(200, 2 * from + 5);
        float[] y = new float[1 + 3 * 201];
        Arrays.fill(y, 7f);
        matrix.multiply(x, 4, 2, y, 1, 201, from, to, new Scratch());
        for (int i = 0; i < y.length; i++) {
            int row = (i - 1) / 201;
            int o = (i - 1) % 201;
            boolean wanted = i > 0 && row < 2 && o >= from && o < to;
            assertEquals(wanted ? all[(row + 4) * 200 + o] : 7f, y[i], "element " + i);
        }
    }

    @ParameterizedTest
    @EnumSource(Width.class)
    void quantisesLikeTheScalarTwin(Width width) {
        Random random = new Random(SEED);
        for (int columns : new int[] {32, 96, 1024}) {
            float[] rows = Samples.values(3 * columns, random);
            Arrays.fill(rows, 0, 32, 0f);
            Arrays.fill(rows, columns, columns + 32, 1e-38f);
            rows[2 * columns] = Float.POSITIVE_INFINITY;
            Activations expected = quantized(SCALAR, rows, 3, columns);
            Activations actual = quantized(width.kernels(), rows, 3, columns);
            Samples.assertSameBits(expected.scales(), actual.scales(), "scales");
            assertArrayEquals(expected.q(), actual.q());
            assertArrayEquals(expected.blockSums(), actual.blockSums());
            assertArrayEquals(expected.halfSums(), actual.halfSums());
            assertArrayEquals(expected.pairs(), actual.pairs());
            assertArrayEquals(expected.quads(), actual.quads());
        }
    }

    @ParameterizedTest
    @EnumSource(Width.class)
    void showsAScaleThatIsNotFinite(Width width) {
        byte[] bytes = new byte[(int) (40 * DType.Q8_0.rowBytes(32))];
        bytes[33 * 34 + 1] = 0x7e; // the scale of row 33 is NaN
        Matrix matrix = width.kernels().matrix(Samples.of(DType.Q8_0, 40, 32, bytes), true, POOL, Arena.global());
        float[] x = new float[32];
        Arrays.fill(x, 1f);
        float[] y = multiply(matrix, quantized(SCALAR, x, 1, 32), 1);
        assertTrue(Float.isNaN(y[33]));
        assertEquals(0f, y[32]);
    }

    @Test
    void takesAboutTheMemoryOfTheFile() {
        for (DType type : new DType[] {DType.Q8_0, DType.Q4_0, DType.Q4_K}) {
            WeightData weight = Samples.weight(type, 256, 1024, new Random(SEED));
            Matrix matrix = new VectorKernels().matrix(weight, true, POOL, Arena.global());
            assertTrue(matrix.extraBytes() <= 1.03 * 256 * type.rowBytes(1024), type + ": " + matrix.extraBytes());
        }
    }

    private static void compare(WeightData weight, Width width, int count, Random random) {
        compare(weight, width, Samples.values(count * weight.columns(), random), count);
    }

    private static void compare(WeightData weight, Width width, float[] rows, int count) {
        Activations x = quantized(SCALAR, rows, count, weight.columns());
        float[] expected = multiply(SCALAR.matrix(weight, true, POOL, Arena.global()), x, count);
        float[] actual = multiply(width.kernels().matrix(weight, true, POOL, Arena.global()), x, count);
        Samples.assertSameBits(
                expected, actual, weight.type() + " " + weight.rows() + "x" + weight.columns() + " by " + count);
    }

    private static Activations quantized(Kernels kernels, float[] rows, int count, int columns) {
        Activations x = new Activations(columns);
        x.of(rows);
        x.reserve(count);
        for (int row = 0; row < count; row++) {
            kernels.quantize(x, row);
        }
        return x;
    }

    private static float[] multiply(Matrix matrix, Activations x, int count) {
        float[] y = new float[count * matrix.rows()];
        matrix.multiply(x, 0, count, y, 0, matrix.rows(), 0, matrix.rows(), new Scratch());
        return y;
    }
}
