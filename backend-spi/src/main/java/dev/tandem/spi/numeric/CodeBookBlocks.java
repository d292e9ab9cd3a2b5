package dev.tandem.spi.numeric;

import static dev.tandem.spi.numeric.Dequantizer.f16;
import static dev.tandem.spi.numeric.Dequantizer.i32;
import static dev.tandem.spi.numeric.Dequantizer.u16;
import static dev.tandem.spi.numeric.Dequantizer.u8;

import dev.tandem.spi.model.DType;
import java.lang.foreign.MemorySegment;

/**
 * Block types of 256 elements whose vectors of 8 or 4 elements are indices into a code book.
 *
 * <p>IQ2 and IQ3 books hold magnitudes, and a sign byte negates element i where its bit i is set. Types that store seven
 * sign bits make the eighth even parity.
 */
final class CodeBookBlocks {
    private static final int ELEMENTS = 256;
    /** What IQ1 adds to or takes from every level. */
    private static final float IQ1_DELTA = 0.125f;

    private CodeBookBlocks() {}

    static void dequantize(DType type, MemorySegment source, long byteOffset, int blocks, float[] target, int offset) {
        for (int block = 0; block < blocks; block++) {
            long at = byteOffset + (long) block * type.blockBytes();
            int to = offset + block * ELEMENTS;
            switch (type) {
                case IQ2_XXS -> iq2XxsBlock(source, at, target, to);
                case IQ2_XS -> iq2XsBlock(source, at, target, to);
                case IQ2_S -> iq2SBlock(source, at, target, to);
                case IQ3_XXS -> iq3XxsBlock(source, at, target, to);
                case IQ3_S -> iq3SBlock(source, at, target, to);
                case IQ1_S -> iq1SBlock(source, at, target, to);
                case IQ1_M -> iq1MBlock(source, at, target, to);
                default -> throw Dequantizer.unsupported(type);
            }
        }
    }

    /** y = scale · book[index], negated by the bits of {@code signs}. */
    private static void signed(byte[] book, int dimensions, int index, float scale, int signs, float[] target, int to) {
        for (int i = 0; i < dimensions; i++) {
            float value = scale * book[index * dimensions + i];
            target[to + i] = (signs >> i & 1) != 0 ? -value : value;
        }
    }

    private static int withParity(int sevenSigns) {
        return sevenSigns | (Integer.bitCount(sevenSigns) & 1) << 7;
    }

    /** d · (s + ½) · ¼. */
    private static float quarterScale(float d, int s) {
        return d * (0.5f + s) * 0.25f;
    }

    /** IQ2_XXS: {f16 d; per 32: u8 index[4]; u7 signs[4]; u4 s}: scale = (d · (s + ½)) · ¼. */
    private static void iq2XxsBlock(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int sub = 0; sub < 8; sub++) {
            long quants = at + 2 + sub * 8L;
            int signs = i32(source, quants + 4);
            float scale = quarterScale(d, signs >>> 28);
            for (int j = 0; j < 4; j++) {
                int index = u8(source, quants + j);
                int sign = withParity(signs >>> (7 * j) & 127);
                signed(CodeBooks.IQ2_XXS, 8, index, scale, sign, target, to + sub * 32 + j * 8);
            }
        }
    }

    /** IQ2_XS: {f16 d; {u9 index; u7 signs}[32]; u4 s[16]}, per 16: scale = (d · (s + ½)) · ¼. */
    private static void iq2XsBlock(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int j = 0; j < 32; j++) {
            float scale = quarterScale(d, nibble(source, at + 66, j / 2));
            int packed = u16(source, at + 2 + j * 2L);
            signed(CodeBooks.IQ2_XS, 8, packed & 511, scale, withParity(packed >> 9), target, to + j * 8);
        }
    }

    /** IQ2_S: {f16 d; u8 l[32]; u8 signs[32]; u2 h[32]; u4 s[16]}, index = l + 256 · h, scale as in IQ2_XS. */
    private static void iq2SBlock(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int j = 0; j < 32; j++) {
            float scale = quarterScale(d, nibble(source, at + 74, j / 2));
            int high = u8(source, at + 66 + j / 4) >> (j % 4 * 2) & 3;
            int index = u8(source, at + 2 + j) | high << 8;
            signed(CodeBooks.IQ2_S, 8, index, scale, u8(source, at + 34 + j), target, to + j * 8);
        }
    }

    private static int nibble(MemorySegment source, long at, int index) {
        return u8(source, at + index / 2) >> (index % 2 * 4) & 15;
    }

    /** IQ3_XXS: {f16 d; u8 index[64]; per 32: u7 signs[4], u4 s}: scale = (d · (s + ½)) · ½. */
    private static void iq3XxsBlock(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int sub = 0; sub < 8; sub++) {
            int signs = i32(source, at + 66 + sub * 4L);
            float scale = d * (0.5f + (signs >>> 28)) * 0.5f;
            for (int j = 0; j < 8; j++) {
                int index = u8(source, at + 2 + sub * 8L + j);
                int sign = withParity(signs >>> (7 * (j / 2)) & 127) >> (j % 2 * 4);
                signed(CodeBooks.IQ3_XXS, 4, index, scale, sign, target, to + sub * 32 + j * 4);
            }
        }
    }

    /** IQ3_S: {f16 d; u8 l[64]; u1 h[64]; u1 signs[256]; u4 s[8]}, index = l + 256 · h, per 32: scale = d · (1 + 2 s). */
    private static void iq3SBlock(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int j = 0; j < 64; j++) {
            float scale = d * (1 + 2 * nibble(source, at + 106, j / 8));
            int high = u8(source, at + 66 + j / 8) >> (j % 8) & 1;
            int index = u8(source, at + 2 + j) | high << 8;
            int sign = u8(source, at + 74 + j / 2) >> (j % 2 * 4);
            signed(CodeBooks.IQ3_S, 4, index, scale, sign, target, to + j * 4);
        }
    }

    /** y = scale · (book[index] + delta). */
    private static void shifted(int index, float scale, float delta, float[] target, int to) {
        for (int i = 0; i < 8; i++) {
            target[to + i] = scale * (CodeBooks.IQ1[index * 8 + i] + delta);
        }
    }

    /**
     * IQ1_S: {f16 d; u8 l[32]; per 32: u3 h[4], u3 s, u1 negative}, index = l + 256 · h: scale = d · (2 s + 1), delta = ±⅛.
     */
    private static void iq1SBlock(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int sub = 0; sub < 8; sub++) {
            int packed = u16(source, at + 34 + sub * 2L);
            float scale = d * (2 * (packed >> 12 & 7) + 1);
            float delta = (packed & 0x8000) != 0 ? -IQ1_DELTA : IQ1_DELTA;
            for (int j = 0; j < 4; j++) {
                int index = u8(source, at + 2 + sub * 4L + j) | (packed >> (3 * j) & 7) << 8;
                shifted(index, scale, delta, target, to + sub * 32 + j * 8);
            }
        }
    }

    /**
     * IQ1_M: {u8 l[32]; {u3 h, u1 negative}[32]; {u3 s[4], u4 of d}[4]}, d a binary16 in four nibbles, lowest first;
     * index = l + 256 · h, per 16: scale = d · (2 s + 1), delta = ±⅛ per 8.
     */
    private static void iq1MBlock(MemorySegment source, long at, float[] target, int to) {
        int bits = 0;
        for (int i = 0; i < 4; i++) {
            bits |= u16(source, at + 48 + i * 2L) >> 12 << (4 * i);
        }
        float d = Float.float16ToFloat((short) bits);
        for (int j = 0; j < 32; j++) {
            int scaleBits = u16(source, at + 48 + j / 8 * 2L) >> (j % 8 / 2 * 3) & 7;
            int high = nibble(source, at + 32, j);
            float delta = (high & 8) != 0 ? -IQ1_DELTA : IQ1_DELTA;
            int index = u8(source, at + j) | (high & 7) << 8;
            shifted(index, d * (2 * scaleBits + 1), delta, target, to + j * 8);
        }
    }
}
