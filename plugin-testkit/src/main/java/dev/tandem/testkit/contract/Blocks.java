package dev.tandem.testkit.contract;

import dev.tandem.spi.model.DType;
import dev.tandem.spi.numeric.Half;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/** Random weights of every type, whose scales are ordinary numbers. */
final class Blocks {
    private Blocks() {}

    /** Whole rows of a type; equal arguments give equal bytes. */
    static byte[] random(DType type, long seed, long rows, long columns) {
        Random random = new Random(31 * seed + type.name().hashCode());
        byte[] bytes = new byte[Math.toIntExact(rows * type.rowBytes(columns))];
        if (!type.quantized()) {
            plain(type, random, ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
            return bytes;
        }
        random.nextBytes(bytes);
        for (int block = 0; block < bytes.length; block += type.blockBytes()) {
            tame(type, bytes, block);
        }
        return bytes;
    }

    private static void plain(DType type, Random random, ByteBuffer out) {
        while (out.hasRemaining()) {
            float value = (float) random.nextGaussian();
            switch (type) {
                case F32 -> out.putFloat(value);
                case F16 -> out.putShort(Half.floatToF16(value));
                case BF16 -> out.putShort(Half.floatToBf16(value));
                default -> out.put((byte) random.nextInt(256));
            }
        }
    }

    /** Gives the scales of a block a middling exponent. */
    private static void tame(DType type, byte[] bytes, int block) {
        switch (type) {
            case MXFP4 -> bytes[block] = (byte) (120 + (bytes[block] & 7));
            case NVFP4 -> {
                for (int i = 0; i < 4; i++) {
                    bytes[block + i] &= 0x3F;
                }
            }
            case IQ1_M -> bytes[block + 55] = (byte) ((bytes[block + 55] & 0x0F) | 0x20);
            default -> {
                for (int field : halfFields(type)) {
                    int high = block + field + 1;
                    bytes[high] = (byte) ((bytes[high] & 0x83) | 0x24);
                }
            }
        }
    }

    private static int[] halfFields(DType type) {
        return switch (type) {
            case Q4_1, Q5_1, Q4_K, Q5_K -> new int[] {0, 2};
            case Q2_K -> new int[] {80, 82};
            case Q3_K -> new int[] {108};
            case Q6_K -> new int[] {208};
            case TQ1_0 -> new int[] {52};
            case TQ2_0 -> new int[] {64};
            default -> new int[] {0};
        };
    }
}
