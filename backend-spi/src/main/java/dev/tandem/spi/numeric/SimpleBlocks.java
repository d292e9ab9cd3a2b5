package dev.tandem.spi.numeric;

import static dev.tandem.spi.numeric.Dequantizer.f16;
import static dev.tandem.spi.numeric.Dequantizer.i32;
import static dev.tandem.spi.numeric.Dequantizer.s8;
import static dev.tandem.spi.numeric.Dequantizer.u8;

import dev.tandem.spi.model.DType;
import java.lang.foreign.MemorySegment;

/**
 * Block types with one scale, and perhaps one minimum, per block; both are binary16.
 *
 * <p>In the 32-element types the low nibbles of 16 bytes are elements 0 to 15, the high nibbles elements 16 to 31.
 */
final class SimpleBlocks {
    private static final int HALF_BLOCK = 16;

    private SimpleBlocks() {}

    static void dequantize(DType type, MemorySegment source, long byteOffset, int blocks, float[] target, int offset) {
        for (int block = 0; block < blocks; block++) {
            long at = byteOffset + (long) block * type.blockBytes();
            int to = offset + block * type.blockElements();
            switch (type) {
                case Q8_0 -> q8Block(source, at, target, to);
                case Q4_0 -> q4Block(source, at, target, to);
                case Q4_1 -> q4MinBlock(source, at, target, to);
                case Q5_0 -> q5Block(source, at, target, to);
                case Q5_1 -> q5MinBlock(source, at, target, to);
                case Q1_0 -> q1Block(source, at, target, to);
                case Q2_0 -> q2Block(source, at, target, to);
                default -> throw Dequantizer.unsupported(type);
            }
        }
    }

    /** Q8_0: {f16 d; i8 q[32]}: y = q · d. */
    private static void q8Block(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int i = 0; i < 2 * HALF_BLOCK; i++) {
            target[to + i] = s8(source, at + 2 + i) * d;
        }
    }

    /** Q4_0: {f16 d; u4 q[32]}: y = (q − 8) · d. */
    private static void q4Block(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int i = 0; i < HALF_BLOCK; i++) {
            int pair = u8(source, at + 2 + i);
            target[to + i] = ((pair & 15) - 8) * d;
            target[to + HALF_BLOCK + i] = ((pair >> 4) - 8) * d;
        }
    }

    /** Q4_1: {f16 d; f16 m; u4 q[32]}: y = q · d + m. */
    private static void q4MinBlock(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        float m = f16(source, at + 2);
        for (int i = 0; i < HALF_BLOCK; i++) {
            int pair = u8(source, at + 4 + i);
            target[to + i] = (pair & 15) * d + m;
            target[to + HALF_BLOCK + i] = (pair >> 4) * d + m;
        }
    }

    /** Q5_0: {f16 d; u32 h; u4 l[32]}, q = l + 16 · bit i of h: y = (q − 16) · d. */
    private static void q5Block(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        int high = i32(source, at + 2);
        for (int i = 0; i < HALF_BLOCK; i++) {
            int pair = u8(source, at + 6 + i);
            target[to + i] = (fiveBits(pair & 15, high >>> i) - 16) * d;
            target[to + HALF_BLOCK + i] = (fiveBits(pair >> 4, high >>> (HALF_BLOCK + i)) - 16) * d;
        }
    }

    /** Q5_1: {f16 d; f16 m; u32 h; u4 l[32]}, q = l + 16 · bit i of h: y = q · d + m. */
    private static void q5MinBlock(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        float m = f16(source, at + 2);
        int high = i32(source, at + 4);
        for (int i = 0; i < HALF_BLOCK; i++) {
            int pair = u8(source, at + 8 + i);
            target[to + i] = fiveBits(pair & 15, high >>> i) * d + m;
            target[to + HALF_BLOCK + i] = fiveBits(pair >> 4, high >>> (HALF_BLOCK + i)) * d + m;
        }
    }

    private static int fiveBits(int low, int high) {
        return low | (high & 1) << 4;
    }

    /** Q1_0: {f16 d; u1 q[128]}, lowest bit first: y = d where q is set, else −d. */
    private static void q1Block(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int i = 0; i < DType.Q1_0.blockElements(); i++) {
            boolean set = (u8(source, at + 2 + i / 8) >> (i % 8) & 1) != 0;
            target[to + i] = set ? d : -d;
        }
    }

    /** Q2_0: {f16 d; u2 q[64]}, lowest bits first: y = (q − 1) · d. */
    private static void q2Block(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int i = 0; i < DType.Q2_0.blockElements(); i++) {
            target[to + i] = ((u8(source, at + 2 + i / 4) >> (i % 4 * 2) & 3) - 1) * d;
        }
    }
}
