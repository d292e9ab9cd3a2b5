package dev.tandem.backend.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.graph.WeightRef.RowSlice;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.numeric.Dequantizer;
import dev.tandem.testkit.MemoryModel;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Linear layers: accuracy against float64, bits against themselves. */
final class MatMulTests {
    private static final int ROWS = 37;
    private static final int COLUMNS = 768;
    private static final int COUNT = 65;

    /** Random blocks whose scales are ordinary numbers: f16 fields are forced to a middling exponent. */
    static byte[] blocks(DType type, long rows, long columns) {
        Random random = new Random(type.name().hashCode());
        byte[] bytes = new byte[Math.toIntExact(rows * type.rowBytes(columns))];
        random.nextBytes(bytes);
        for (int at = 0; at < bytes.length; at += type.blockBytes()) {
            for (int field : halfFields(type)) {
                bytes[at + field + 1] = (byte) ((bytes[at + field + 1] & 0x83) | 0x24);
            }
            if (type == DType.MXFP4) {
                bytes[at] = (byte) (120 + (bytes[at] & 7));
            }
        }
        return bytes;
    }

    private static int[] halfFields(DType type) {
        return switch (type) {
            case Q8_0, Q4_0, Q5_0, IQ4_NL, IQ4_XS -> new int[] {0};
            case Q4_1, Q5_1, Q4_K, Q5_K -> new int[] {0, 2};
            case Q2_K -> new int[] {80, 82};
            case Q3_K -> new int[] {108};
            case Q6_K -> new int[] {208};
            default -> new int[0];
        };
    }

    private static MemoryModel model(DType type) {
        byte[] bytes = type.quantized() ? blocks(type, ROWS, COLUMNS) : plain(type);
        return new MemoryModel("test")
                .tensor("w", type, bytes, ROWS, COLUMNS)
                .floats("bias", TestData.random(5, ROWS), ROWS);
    }

    private static byte[] plain(DType type) {
        float[] values = TestData.random(6, ROWS * COLUMNS);
        byte[] bytes = new byte[values.length * type.blockBytes()];
        ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (float value : values) {
            switch (type) {
                case F32 -> out.putFloat(value);
                case F16 -> out.putShort(Float.floatToFloat16(value));
                default -> out.putShort((short) (Float.floatToRawIntBits(value) >>> 16));
            }
        }
        return bytes;
    }

    private static Graph graph(MemoryModel model, boolean bias, Op.Arithmetic arithmetic) {
        Graph.Builder builder = Graph.builder("matmul");
        Value x = builder.input("x", ValueType.f32(RowSet.STEP, COLUMNS));
        WeightRef weight = WeightRef.of(model, model.tensor("w").orElseThrow());
        Optional<WeightRef> added = bias ? model.tensor("bias").map(t -> WeightRef.of(model, t)) : Optional.empty();
        return builder.output("y", builder.add("w", new Op.MatMul(weight, added, arithmetic), x))
                .build();
    }

    private static float[] weights(MemoryModel model) {
        var tensor = model.tensor("w").orElseThrow();
        MemorySegment data = model.data(tensor);
        float[] values = new float[ROWS * COLUMNS];
        Dequantizer.dequantize(tensor.type(), data, 0, values.length, values, 0);
        return values;
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {
                "F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K",
                "IQ4_NL", "IQ4_XS", "MXFP4"
            })
    void bothPrecisionsAgreeWithFloat64(DType type) {
        MemoryModel model = model(type);
        float[] w = weights(model);
        float[] x = TestData.random(7, 2 * COLUMNS);
        float[] bias = TestData.random(5, ROWS);
        for (Precision precision : Precision.values()) {
            try (GraphRunner runner =
                    new GraphRunner(graph(model, true, Op.Arithmetic.BY_PRECISION), model, precision)) {
                float[] y = runner.run(2, Named.of("x", x));
                for (int i = 0; i < y.length; i++) {
                    double sum = bias[i % ROWS];
                    double size = Math.abs(sum);
                    double power = 0;
                    for (int j = 0; j < COLUMNS; j++) {
                        double product = (double) w[i % ROWS * COLUMNS + j] * x[i / ROWS * COLUMNS + j];
                        sum += product;
                        size += Math.abs(product);
                        power += w[i % ROWS * COLUMNS + j] * (double) w[i % ROWS * COLUMNS + j];
                    }
                    // Rounding activations to 1/127 of the block's largest moves a sum by a few times its deviation.
                    double tolerance = precision == Precision.FAST && type.quantized()
                            ? 6 * Math.sqrt(power / 12) * 4 / 127
                            : 1e-6 * size;
                    assertEquals(sum, y[i], tolerance, type + " " + precision + " output " + i);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"Q8_0,FAST", "Q4_0,FAST", "Q4_K,FAST", "Q6_K,FAST", "Q4_K,REFERENCE", "F32,FAST", "BF16,REFERENCE"})
    void aRowDoesNotDependOnItsBatchOrOnThreads(DType type, Precision precision) {
        MemoryModel model = model(type);
        Graph graph = graph(model, true, Op.Arithmetic.BY_PRECISION);
        float[] x = TestData.random(8, COUNT * COLUMNS);
        int[] alone = new int[COUNT * ROWS];
        try (GraphRunner runner = new GraphRunner(graph, model, precision)) {
            for (int row = 0; row < COUNT; row++) {
                float[] y = runner.run(1, Named.of("x", TestData.slice(x, row * COLUMNS, COLUMNS)));
                System.arraycopy(TestData.bits(y), 0, alone, row * ROWS, ROWS);
            }
        }
        try (GraphRunner runner = new GraphRunner(graph, model, precision, new ScalarKernels(), 2)) {
            for (int count : new int[] {1, 2, 7, 33, 64, 65}) {
                float[] y = runner.run(count, Named.of("x", TestData.slice(x, 0, count * COLUMNS)));
                assertArrayEquals(Arrays.copyOf(alone, count * ROWS), TestData.bits(y), count + " rows");
            }
        }
    }

    @Test
    void aReferenceLayerIsTheSameInBothPrecisions() {
        MemoryModel model = model(DType.Q8_0);
        Graph graph = graph(model, false, Op.Arithmetic.REFERENCE);
        float[] x = TestData.random(9, COLUMNS);
        try (GraphRunner fast = new GraphRunner(graph, model, Precision.FAST);
                GraphRunner reference = new GraphRunner(graph, model, Precision.REFERENCE)) {
            assertArrayEquals(
                    TestData.bits(reference.run(1, Named.of("x", x))), TestData.bits(fast.run(1, Named.of("x", x))));
        }
    }

    @Test
    void aSliceOfRowsIsThoseRowsOfTheWhole() {
        MemoryModel model = model(DType.Q4_K);
        WeightRef whole = WeightRef.of(model, model.tensor("w").orElseThrow());
        RowSlice slice = new RowSlice(3, 2, 7, 4);
        Graph.Builder builder = Graph.builder("slice");
        Value x = builder.input("x", ValueType.f32(RowSet.STEP, COLUMNS));
        Op op = new Op.MatMul(whole.rows(slice), Optional.empty(), Op.Arithmetic.BY_PRECISION);
        Graph graph = builder.output("y", builder.add("w", op, x)).build();
        float[] input = TestData.random(10, COLUMNS);
        try (GraphRunner some = new GraphRunner(graph, model, Precision.FAST);
                GraphRunner all =
                        new GraphRunner(graph(model, false, Op.Arithmetic.BY_PRECISION), model, Precision.FAST)) {
            float[] expected = all.run(1, Named.of("x", input));
            float[] y = some.run(1, Named.of("x", input));
            assertEquals(8, y.length);
            for (int i = 0; i < y.length; i++) {
                assertEquals(expected[(int) slice.rowOf(i)], y[i]);
            }
        }
    }
}
