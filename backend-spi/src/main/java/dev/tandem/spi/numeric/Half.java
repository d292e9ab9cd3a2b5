package dev.tandem.spi.numeric;

/** Conversions between binary32 and the two 16-bit formats, rounding to nearest even. */
public final class Half {
    private static final int LOWER_HALF = 16;
    private static final int ROUND_BIAS = 0x7FFF;
    private static final int QUIET_BIT = 0x40;

    private Half() {}

    /**
     * Widens a binary16, exactly.
     *
     * @param f16 bit pattern
     * @return the same value
     */
    public static float f16ToFloat(short f16) {
        return Float.float16ToFloat(f16);
    }

    /**
     * Rounds to binary16, nearest even; beyond 65519.996 the result is infinite, subnormals are kept.
     *
     * @param x the value
     * @return bit pattern
     */
    public static short floatToF16(float x) {
        return Float.floatToFloat16(x);
    }

    /**
     * Widens a bfloat16, exactly.
     *
     * @param bf16 bit pattern
     * @return the same value
     */
    public static float bf16ToFloat(short bf16) {
        return Float.intBitsToFloat(bf16 << LOWER_HALF);
    }

    /**
     * Rounds to bfloat16, nearest even; NaN stays NaN, made quiet.
     *
     * @param x the value
     * @return bit pattern
     */
    public static short floatToBf16(float x) {
        int bits = Float.floatToRawIntBits(x);
        if (Float.isNaN(x)) {
            return (short) ((bits >>> LOWER_HALF) | QUIET_BIT);
        }
        int even = (bits >>> LOWER_HALF) & 1;
        return (short) ((bits + ROUND_BIAS + even) >>> LOWER_HALF);
    }
}
