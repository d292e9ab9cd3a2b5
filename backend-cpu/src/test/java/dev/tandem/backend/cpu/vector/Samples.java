package dev.tandem.backend.cpu.vector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.backend.cpu.kernel.WeightData;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.ModelId;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Weights and values for comparing the twins. */
final class Samples {
    private Samples() {}

    /** A weight of random bytes whose scales are finite. */
    static WeightData weight(DType type, int rows, int columns, Random random) {
        byte[] bytes = new byte[Math.toIntExact(rows * type.rowBytes(columns))];
        random.nextBytes(bytes);
        for (int at = 0; at < bytes.length; at += type.blockBytes()) {
            for (int half : halves(type)) {
                scale(bytes, at + half, random);
            }
            if (type == DType.MXFP4) {
                bytes[at] = (byte) (random.nextInt(8) == 0 ? random.nextInt(3) : 100 + random.nextInt(40));
            }
        }
        return of(type, rows, columns, bytes);
    }

    /** A weight whose quants are all the same byte, with scale 1 and, where there are factors, random ones. */
    static WeightData extreme(DType type, int rows, int columns, int value, Random random) {
        byte[] bytes = new byte[Math.toIntExact(rows * type.rowBytes(columns))];
        Arrays.fill(bytes, (byte) value);
        for (int at = 0; at < bytes.length; at += type.blockBytes()) {
            for (int half : halves(type)) {
                bytes[at + half] = 0;
                bytes[at + half + 1] = (byte) (random.nextBoolean() ? 0x3c : 0xbc);
            }
            if (type == DType.MXFP4) {
                bytes[at] = 127;
            }
        }
        return of(type, rows, columns, bytes);
    }

    static WeightData of(DType type, int rows, int columns, byte[] bytes) {
        WeightRef ref = new WeightRef(
                new ModelId(1, "sample"), "w", type, List.of((long) rows, (long) columns), Optional.empty());
        return WeightData.of(ref, MemorySegment.ofArray(bytes));
    }

    private static void scale(byte[] bytes, int at, Random random) {
        short half = Float.floatToFloat16((float) (random.nextGaussian() * 0.02));
        if (random.nextInt(8) == 0) {
            half = (short) (random.nextInt(0x10000) & 0xbbff); // anything finite: zeros, subnormals, the largest
        }
        bytes[at] = (byte) half;
        bytes[at + 1] = (byte) (half >> 8);
    }

    private static int[] halves(DType type) {
        return switch (type) {
            case Q8_0, Q4_0, Q5_0, IQ4_NL, IQ4_XS -> new int[] {0};
            case Q4_1, Q5_1, Q4_K, Q5_K -> new int[] {0, 2};
            case Q2_K -> new int[] {80, 82};
            case Q3_K -> new int[] {108};
            case Q6_K -> new int[] {208};
            default -> new int[] {};
        };
    }

    /** Values of all magnitudes, with zeros of both signs and subnormals among them. */
    static float[] values(int n, Random random) {
        float[] x = new float[n];
        for (int i = 0; i < n; i++) {
            x[i] = switch (random.nextInt(12)) {
                case 0 -> 0f;
                case 1 -> -0f;
                case 2 -> (float) (random.nextGaussian() * 1e-41);
                case 3 -> (float) (random.nextGaussian() * 1e6);
                case 4 -> (float) (random.nextGaussian() * 30);
                default -> (float) random.nextGaussian();
            };
        }
        return x;
    }

    static void assertSameBits(float[] expected, float[] actual, String what) {
        assertEquals(expected.length, actual.length, what);
        for (int i = 0; i < expected.length; i++) {
            if (Float.floatToRawIntBits(expected[i]) != Float.floatToRawIntBits(actual[i])) {
                throw new AssertionError(what + ": element " + i + " is " + actual[i] + " ("
                        + Float.toHexString(actual[i]) + "), the scalar twin has " + expected[i] + " ("
                        + Float.toHexString(expected[i]) + ")");
            }
        }
    }
}
