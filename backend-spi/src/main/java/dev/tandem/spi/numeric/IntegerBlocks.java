package dev.tandem.spi.numeric;

import dev.tandem.spi.model.DType;

/**
 * Weight blocks as FAST sees them: 32 integers with one scale (N2).
 *
 * <p>A block of 32 weights is {@code w[i] = scale * subScale[i / 16] * q[i] + offset * subOffset[i / 16]}. Its product
 * with a block of activations {@code a[i]} of scale {@code da} is added to an accumulator as
 *
 * <pre>{@code
 * acc = fma((float) (subScale[0] * dot(q, a, 0..15) + subScale[1] * dot(q, a, 16..31)), scale * da, acc);
 * acc = fma((float) (subOffset[0] * sum(a, 0..15) + subOffset[1] * sum(a, 16..31)), offset * da, acc);  // if hasOffset
 * }</pre>
 *
 * <table>
 * <caption>Scale expression per type; f32, in the order written</caption>
 * <tr><th>type<th>q<th>scale<th>subScale<th>offset<th>subOffset
 * <tr><td>Q8_0<td>int8<td>d<td>1, 1<td><td>
 * <tr><td>Q4_0<td>nibble - 8<td>d<td>1, 1<td><td>
 * <tr><td>Q4_1<td>nibble<td>d<td>1, 1<td>m<td>1, 1
 * <tr><td>Q5_0<td>5 bits - 16<td>d<td>1, 1<td><td>
 * <tr><td>Q5_1<td>5 bits<td>d<td>1, 1<td>m<td>1, 1
 * <tr><td>Q2_K<td>2 bits<td>d<td>sc (4 bits)<td>-dmin<td>m (4 bits)
 * <tr><td>Q3_K<td>3 bits - 4<td>d<td>sc (6 bits) - 32<td><td>
 * <tr><td>Q4_K<td>4 bits<td>d * sc<td>1, 1<td>-(dmin * m)<td>1, 1
 * <tr><td>Q5_K<td>5 bits<td>d * sc<td>1, 1<td>-(dmin * m)<td>1, 1
 * <tr><td>Q6_K<td>6 bits - 32<td>d<td>sc (int8)<td><td>
 * <tr><td>IQ4_NL<td>table of 16<td>d<td>1, 1<td><td>
 * <tr><td>IQ4_XS<td>table of 16<td>d * (sc - 32)<td>1, 1<td><td>
 * <tr><td>MXFP4<td>2 x E2M1<td>half of 2^(e - 127)<td>1, 1<td><td>
 * </table>
 *
 * The integer is at most 16,646,144 in magnitude, which f32 holds exactly. An instance is a reusable decoder and not
 * safe for use by several threads.
 */
public final class IntegerBlocks {
    /** Weights in a block. */
    public static final int BLOCK = 32;

    private final DType type;
    private final byte[] q = new byte[BLOCK];
    private final int[] subScale = {1, 1};
    private final int[] subOffset = {1, 1};
    private float scale;
    private float offset;

    /**
     * A decoder.
     *
     * @param type one for which {@link #supports} holds
     */
    public IntegerBlocks(DType type) {
        if (!supports(type)) {
            throw new IllegalArgumentException("FAST has no integer form of " + type);
        }
        this.type = type;
    }

    /**
     * Whether FAST multiplies weights of a type as integers; all others follow the REFERENCE formula.
     *
     * @param type of the weight
     * @return true for the types of the table above
     */
    public static boolean supports(DType type) {
        return switch (type) {
            case Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, IQ4_NL, IQ4_XS, MXFP4 -> true;
            default -> false;
        };
    }

    /**
     * Whether blocks of a type have an offset term.
     *
     * @param type of the weight
     * @return true for types with a minimum
     */
    public static boolean hasOffset(DType type) {
        return switch (type) {
            case Q4_1, Q5_1, Q2_K, Q4_K, Q5_K -> true;
            default -> false;
        };
    }

    /**
     * The integers of the block last decoded.
     *
     * @return 32 values, overwritten by the next decode
     */
    public byte[] q() {
        return q;
    }

    /**
     * The scale of the block last decoded.
     *
     * @return f32
     */
    public float scale() {
        return scale;
    }

    /**
     * Scale of a half block.
     *
     * @param half 0 or 1
     * @return 1 for types without sub-scales
     */
    public int subScale(int half) {
        return subScale[half];
    }

    /**
     * The offset of the block last decoded.
     *
     * @return f32; 0 for types without an offset
     */
    public float offset() {
        return offset;
    }

    /**
     * Offset of a half block.
     *
     * @param half 0 or 1
     * @return 1 for types without sub-offsets
     */
    public int subOffset(int half) {
        return subOffset[half];
    }

    /**
     * Decodes one block of a row.
     *
     * <p>A row comes as an array, since blocks are read byte by byte: before the JIT has compiled this, that costs a
     * fraction of the same reads from a memory segment.
     *
     * @param row bytes that hold the row
     * @param base index of the row's first byte
     * @param block index of the block of 32 in the row
     */
    public void decode(byte[] row, int base, int block) {
        int perFileBlock = type.blockElements() / BLOCK;
        int at = base + block / perFileBlock * type.blockBytes();
        int sub = block % perFileBlock;
        switch (type) {
            case Q8_0 -> q80(row, at);
            case Q4_0 -> nibbles(row, at, 2, 8);
            case Q4_1 -> {
                nibbles(row, at, 4, 0);
                offset = half(row, at + 2);
            }
            case Q5_0 -> fiveBits(row, at, 2, 16);
            case Q5_1 -> {
                fiveBits(row, at, 4, 0);
                offset = half(row, at + 2);
            }
            case Q2_K -> q2k(row, at, sub);
            case Q3_K -> q3k(row, at, sub);
            case Q4_K -> q4k(row, at, sub, at + 16, -1);
            case Q5_K -> q4k(row, at, sub, at + 48, at + 16);
            case Q6_K -> q6k(row, at, sub);
            case IQ4_NL -> {
                scale = half(row, at);
                table(row, at + 2, CodeBooks.IQ4);
            }
            case IQ4_XS -> iq4xs(row, at, sub);
            case MXFP4 -> {
                scale = halfOfPowerOfTwo(row[at] & 0xff);
                table(row, at + 1, CodeBooks.E2M1);
            }
            default -> throw new IllegalStateException("no integer form of " + type);
        }
    }

    private static float half(byte[] row, int at) {
        return Float.float16ToFloat((short) (row[at] & 0xff | row[at + 1] << 8));
    }

    private static int unsigned(byte[] row, int at) {
        return row[at] & 0xff;
    }

    private void q80(byte[] row, int at) {
        scale = half(row, at);
        System.arraycopy(row, at + 2, q, 0, BLOCK);
    }

    private void nibbles(byte[] row, int at, int header, int minus) {
        scale = half(row, at);
        for (int i = 0; i < 16; i++) {
            int pair = unsigned(row, at + header + i);
            q[i] = (byte) ((pair & 15) - minus);
            q[i + 16] = (byte) ((pair >> 4) - minus);
        }
    }

    private void fiveBits(byte[] row, int at, int header, int minus) {
        scale = half(row, at);
        int high = unsigned(row, at + header)
                | unsigned(row, at + header + 1) << 8
                | unsigned(row, at + header + 2) << 16
                | unsigned(row, at + header + 3) << 24;
        for (int i = 0; i < 16; i++) {
            int pair = unsigned(row, at + header + 4 + i);
            q[i] = (byte) (((pair & 15) | (high >>> i & 1) << 4) - minus);
            q[i + 16] = (byte) (((pair >> 4) | (high >>> (i + 16) & 1) << 4) - minus);
        }
    }

    private void table(byte[] row, int at, byte[] values) {
        for (int i = 0; i < 16; i++) {
            int pair = unsigned(row, at + i);
            q[i] = values[pair & 15];
            q[i + 16] = values[pair >> 4];
        }
    }

    private void q2k(byte[] row, int at, int sub) {
        scale = half(row, at + 80);
        offset = -half(row, at + 82);
        for (int half = 0; half < 2; half++) {
            int packed = unsigned(row, at + 2 * sub + half);
            subScale[half] = packed & 15;
            subOffset[half] = packed >> 4;
        }
        int quants = at + 16 + 32 * (sub / 4);
        int shift = 2 * (sub % 4);
        for (int i = 0; i < BLOCK; i++) {
            q[i] = (byte) (unsigned(row, quants + i) >> shift & 3);
        }
    }

    private void q3k(byte[] row, int at, int sub) {
        scale = half(row, at + 108);
        for (int half = 0; half < 2; half++) {
            int index = 2 * sub + half;
            int low = unsigned(row, at + 96 + index % 8) >> (index < 8 ? 0 : 4) & 15;
            int high = unsigned(row, at + 104 + index % 4) >> 2 * (index / 4) & 3;
            subScale[half] = (low | high << 4) - 32;
        }
        int quants = at + 32 + 32 * (sub / 4);
        int shift = 2 * (sub % 4);
        for (int i = 0; i < BLOCK; i++) {
            int high = unsigned(row, at + i) >> sub & 1;
            q[i] = (byte) ((unsigned(row, quants + i) >> shift & 3) - (high == 0 ? 4 : 0));
        }
    }

    /** Q4_K and Q5_K: six-bit scales and minima in 12 bytes; the fifth bits, where there are any, 32 bytes of masks. */
    private void q4k(byte[] row, int at, int sub, int lowBits, int highBits) {
        int sc;
        int min;
        if (sub < 4) {
            sc = unsigned(row, at + 4 + sub) & 63;
            min = unsigned(row, at + 8 + sub) & 63;
        } else {
            int both = unsigned(row, at + 8 + sub);
            sc = (both & 15) | (unsigned(row, at + sub) >> 6) << 4;
            min = (both >> 4) | (unsigned(row, at + 4 + sub) >> 6) << 4;
        }
        scale = half(row, at) * sc;
        offset = -(half(row, at + 2) * min);
        int quants = lowBits + 32 * (sub / 2);
        int shift = 4 * (sub % 2);
        for (int i = 0; i < BLOCK; i++) {
            int high = highBits < 0 ? 0 : (unsigned(row, highBits + i) >> sub & 1) << 4;
            q[i] = (byte) (unsigned(row, quants + i) >> shift & 15 | high);
        }
    }

    private void q6k(byte[] row, int at, int sub) {
        scale = half(row, at + 208);
        subScale[0] = row[at + 192 + 2 * sub];
        subScale[1] = row[at + 193 + 2 * sub];
        int part = sub % 4;
        int low = at + 64 * (sub / 4) + 32 * (part % 2);
        int high = at + 128 + 32 * (sub / 4);
        for (int i = 0; i < BLOCK; i++) {
            int bits = unsigned(row, low + i) >> 4 * (part / 2) & 15 | (unsigned(row, high + i) >> 2 * part & 3) << 4;
            q[i] = (byte) (bits - 32);
        }
    }

    private void iq4xs(byte[] row, int at, int sub) {
        int low = unsigned(row, at + 4 + sub / 2) >> 4 * (sub % 2) & 15;
        int high = (unsigned(row, at + 2) | unsigned(row, at + 3) << 8) >> 2 * sub & 3;
        scale = half(row, at) * ((low | high << 4) - 32);
        table(row, at + 8 + 16 * sub, CodeBooks.IQ4);
    }

    /** 2^(e - 128), the scale for doubled E2M1 values; subnormal for the two smallest exponents. */
    private static float halfOfPowerOfTwo(int e) {
        return Float.intBitsToFloat(e < 2 ? 0x00200000 << e : (e - 1) << 23);
    }
}
