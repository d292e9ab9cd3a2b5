package dev.tandem.spi.numeric;

import static dev.tandem.spi.numeric.Dequantizer.f16;
import static dev.tandem.spi.numeric.Dequantizer.u16;
import static dev.tandem.spi.numeric.Dequantizer.u8;

import dev.tandem.spi.model.DType;
import java.lang.foreign.MemorySegment;

/** Block types whose elements are four-bit indices of a table, or ternary digits. */
final class LookupBlocks {
    private static final int NO_NUMBER = 0x7F;

    private LookupBlocks() {}

    static void dequantize(DType type, MemorySegment source, long byteOffset, int blocks, float[] target, int offset) {
        for (int block = 0; block < blocks; block++) {
            long at = byteOffset + (long) block * type.blockBytes();
            int to = offset + block * type.blockElements();
            switch (type) {
                case IQ4_NL -> lookup(source, at + 2, 16, f16(source, at), CodeBooks.IQ4, target, to);
                case IQ4_XS -> iq4XsBlock(source, at, target, to);
                case MXFP4 -> lookup(source, at + 1, 16, halfE8m0(u8(source, at)), CodeBooks.E2M1, target, to);
                case NVFP4 -> nvfp4Block(source, at, target, to);
                case TQ1_0 -> tq1Block(source, at, target, to);
                case TQ2_0 -> tq2Block(source, at, target, to);
                default -> throw Dequantizer.unsupported(type);
            }
        }
    }

    /**
     * y = d · table[q]: low nibbles of {@code bytes} bytes, then their high nibbles. IQ4_NL is {f16 d; u4 q[32]}, MXFP4
     * {e8m0 d; u4 q[32]}.
     */
    private static void lookup(
            MemorySegment source, long quants, int bytes, float d, byte[] table, float[] target, int to) {
        for (int i = 0; i < bytes; i++) {
            int pair = u8(source, quants + i);
            target[to + i] = d * table[pair & 15];
            target[to + bytes + i] = d * table[pair >> 4];
        }
    }

    /** IQ4_XS: {f16 d; u2 h[8]; u4 l[8]; u4 q[256]}, s = l + 16 · h, per 32: y = (d · (s − 32)) · table[q]. */
    private static void iq4XsBlock(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        int high = u16(source, at + 2);
        for (int sub = 0; sub < 8; sub++) {
            int low = u8(source, at + 4 + sub / 2) >> (sub % 2 * 4) & 15;
            float scale = d * ((low | (high >> (2 * sub) & 3) << 4) - 32);
            lookup(source, at + 8 + sub * 16L, 16, scale, CodeBooks.IQ4, target, to + sub * 32);
        }
    }

    /** Half of the E8M0 number 2^(e − 127), since the table holds doubled E2M1 values; 2⁻¹²⁸ for e = 0 is subnormal. */
    private static float halfE8m0(int e) {
        return Float.intBitsToFloat(e < 2 ? 0x00200000 << e : (e - 1) << 23);
    }

    /** NVFP4: {ue4m3 d[4]; u4 q[64]}, per 16: y = d · table[q], low nibbles of 8 bytes, then their high nibbles. */
    private static void nvfp4Block(MemorySegment source, long at, float[] target, int to) {
        for (int sub = 0; sub < 4; sub++) {
            float d = halfUe4m3(u8(source, at + sub));
            lookup(source, at + 4 + sub * 8L, 8, d, CodeBooks.E2M1, target, to + sub * 16);
        }
    }

    /** Half of the unsigned E4M3 number (bias 7), since the table holds doubled values; NaN's pattern reads as 0. */
    private static float halfUe4m3(int bits) {
        int exponent = bits >> 3 & 15;
        int mantissa = bits & 7;
        if (bits == NO_NUMBER) {
            return 0f;
        }
        return exponent == 0 ? mantissa * 0x1p-10f : Math.scalb(8f + mantissa, exponent - 11);
    }

    /**
     * TQ1_0: {u8 q[48]; u8 h[4]; f16 d}: y = (t − 1) · d, t a ternary digit.
     *
     * <p>A byte holds five digits (h: four) as the fraction b / 256 in base 3: digit k is the integer part of
     * 3 · ((b · 3ᵏ mod 256) / 256). 32 bytes hold elements 0 to 159, 16 bytes 160 to 239, 4 bytes 240 to 255; digit k of all
     * bytes of a group comes before digit k + 1.
     */
    private static void tq1Block(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at + 52);
        ternary(source, at, 32, 5, d, target, to);
        ternary(source, at + 32, 16, 5, d, target, to + 160);
        ternary(source, at + 48, 4, 4, d, target, to + 240);
    }

    private static void ternary(
            MemorySegment source, long quants, int bytes, int digits, float d, float[] target, int to) {
        int power = 1;
        for (int digit = 0; digit < digits; digit++) {
            for (int i = 0; i < bytes; i++) {
                int fraction = u8(source, quants + i) * power & 255;
                target[to + digit * bytes + i] = (((fraction * 3) >> 8) - 1) * d;
            }
            power *= 3;
        }
    }

    /** TQ2_0: {u2 q[256]; f16 d}: y = (q − 1) · d; element e is in byte e / 128 · 32 + e mod 32. */
    private static void tq2Block(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at + 64);
        for (int i = 0; i < 256; i++) {
            int packed = u8(source, at + i / 128 * 32L + i % 32);
            target[to + i] = ((packed >> (i % 128 / 32 * 2) & 3) - 1) * d;
        }
    }
}
