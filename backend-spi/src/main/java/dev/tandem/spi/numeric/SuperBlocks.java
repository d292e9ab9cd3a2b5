package dev.tandem.spi.numeric;

import static dev.tandem.spi.numeric.Dequantizer.f16;
import static dev.tandem.spi.numeric.Dequantizer.s8;
import static dev.tandem.spi.numeric.Dequantizer.u8;

import dev.tandem.spi.model.DType;
import java.lang.foreign.MemorySegment;

/**
 * Super-block types: 256 elements in sub-blocks of 16 or 32, each with an integer scale of a binary16 scale.
 *
 * <p>Low bits of element e lie in byte e / 128 · 32 + e mod 32 of their field, shifted by the rest of e, for two-bit
 * fields; in byte e / 64 · 32 + e mod 32 for nibbles (Q6_K: see there).
 */
final class SuperBlocks {
    private static final int ELEMENTS = 256;
    private static final int LANES = 32;
    private static final int SCALE_BYTES = 12;

    private SuperBlocks() {}

    static void dequantize(DType type, MemorySegment source, long byteOffset, int blocks, float[] target, int offset) {
        for (int block = 0; block < blocks; block++) {
            long at = byteOffset + (long) block * type.blockBytes();
            int to = offset + block * ELEMENTS;
            switch (type) {
                case Q2_K -> q2Block(source, at, target, to);
                case Q3_K -> q3Block(source, at, target, to);
                case Q4_K -> q4Block(source, at, target, to);
                case Q5_K -> q5Block(source, at, target, to);
                case Q6_K -> q6Block(source, at, target, to);
                default -> throw Dequantizer.unsupported(type);
            }
        }
    }

    /** Q2_K: {u8 s[16]; u2 q[256]; f16 d; f16 m}, per 16: y = (d · (s &amp; 15)) · q − m · (s &gt;&gt; 4). */
    private static void q2Block(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at + 80);
        float m = f16(source, at + 82);
        for (int sub = 0; sub < 16; sub++) {
            int packed = u8(source, at + sub);
            float scale = d * (packed & 15);
            float minimum = m * (packed >> 4);
            long quants = at + 16 + sub / 8 * 32L + sub % 2 * 16L;
            int shift = sub % 8 / 2 * 2;
            for (int i = 0; i < 16; i++) {
                target[to + sub * 16 + i] = scale * (u8(source, quants + i) >> shift & 3) - minimum;
            }
        }
    }

    /**
     * Q3_K: {u1 h[256]; u2 l[256]; u6 s[16]; f16 d}, q = l − 4 · (1 − h), per 16: y = (d · (s − 32)) · q.
     *
     * <p>Bit b of h's byte i is element 32 · b + i. The low nibble of scale j is a nibble of byte j mod 8 (low for j &lt; 8),
     * its upper two bits are bits 2 · (j / 4) of byte 8 + j mod 4.
     */
    private static void q3Block(MemorySegment source, long at, float[] target, int to) {
        long scales = at + 96;
        float d = f16(source, scales + SCALE_BYTES);
        for (int sub = 0; sub < 16; sub++) {
            int low = u8(source, scales + sub % 8) >> (sub / 8 * 4) & 15;
            int high = u8(source, scales + 8 + sub % 4) >> (sub / 4 * 2) & 3;
            float scale = d * ((low | high << 4) - 32);
            int lane = sub % 2 * 16;
            long quants = at + 32 + sub / 8 * 32L + lane;
            int shift = sub % 8 / 2 * 2;
            for (int i = 0; i < 16; i++) {
                int offset = 4 - (u8(source, at + lane + i) >> (sub / 2) & 1) * 4;
                target[to + sub * 16 + i] = scale * ((u8(source, quants + i) >> shift & 3) - offset);
            }
        }
    }

    /** Q4_K: {f16 d; f16 m; u6 s[8], t[8]; u4 q[256]}, per 32: y = (d · s) · q − m · t. */
    private static void q4Block(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        float m = f16(source, at + 2);
        for (int sub = 0; sub < 8; sub++) {
            float scale = d * scaleOf(source, at + 4, sub);
            float minimum = m * minimumOf(source, at + 4, sub);
            long quants = at + 16 + sub / 2 * 32L;
            int shift = sub % 2 * 4;
            for (int i = 0; i < LANES; i++) {
                target[to + sub * LANES + i] = scale * (u8(source, quants + i) >> shift & 15) - minimum;
            }
        }
    }

    /**
     * Q5_K: {f16 d; f16 m; u6 s[8], t[8]; u1 h[256]; u4 l[256]}, q = l + 16 · h, per 32: y = (d · s) · q − m · t.
     *
     * <p>Bit b of h's byte i is element 32 · b + i.
     */
    private static void q5Block(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        float m = f16(source, at + 2);
        for (int sub = 0; sub < 8; sub++) {
            float scale = d * scaleOf(source, at + 4, sub);
            float minimum = m * minimumOf(source, at + 4, sub);
            long quants = at + 48 + sub / 2 * 32L;
            int shift = sub % 2 * 4;
            for (int i = 0; i < LANES; i++) {
                int high = (u8(source, at + 16 + i) >> sub & 1) << 4;
                target[to + sub * LANES + i] = scale * ((u8(source, quants + i) >> shift & 15) | high) - minimum;
            }
        }
    }

    /** Six-bit scale {@code sub} of 8 scales and 8 minima in 12 bytes: the last four borrow the top bits of the first. */
    private static int scaleOf(MemorySegment source, long at, int sub) {
        if (sub < 4) {
            return u8(source, at + sub) & 63;
        }
        return (u8(source, at + 4 + sub) & 15) | u8(source, at + sub - 4) >> 6 << 4;
    }

    private static int minimumOf(MemorySegment source, long at, int sub) {
        if (sub < 4) {
            return u8(source, at + 4 + sub) & 63;
        }
        return u8(source, at + 4 + sub) >> 4 | u8(source, at + sub) >> 6 << 4;
    }

    /**
     * Q6_K: {u4 l[256]; u2 h[256]; i8 s[16]; f16 d}, q = l + 16 · h − 32, per 16: y = (d · s) · q.
     *
     * <p>Each half of 128 elements has 64 bytes of l (low nibbles elements 0 to 63, high ones 64 to 127) and 32 of h.
     */
    private static void q6Block(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at + 208);
        for (int sub = 0; sub < 16; sub++) {
            float scale = d * s8(source, at + 192 + sub);
            int inHalf = sub % 8 * 16;
            long low = at + sub / 8 * 64L + inHalf % 64;
            long high = at + 128 + sub / 8 * 32L + inHalf % LANES;
            int lowShift = inHalf / 64 * 4;
            int highShift = inHalf / LANES * 2;
            for (int i = 0; i < 16; i++) {
                int q = (u8(source, low + i) >> lowShift & 15) | (u8(source, high + i) >> highShift & 3) << 4;
                target[to + sub * 16 + i] = scale * (q - 32);
            }
        }
    }
}
