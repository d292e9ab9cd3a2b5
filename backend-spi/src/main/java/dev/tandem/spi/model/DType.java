package dev.tandem.spi.model;

/**
 * Element type, or the type of a block of quantised elements. Blocks run along a row. New constants may appear in a minor
 * version, so a plugin's switch over this type has a {@code default}.
 */
public enum DType {
    /** IEEE binary32. */
    F32(1, 4),
    /** IEEE binary16. */
    F16(1, 2),
    /** The upper half of a binary32. */
    BF16(1, 2),
    /** IEEE binary64. */
    F64(1, 8),
    /** Signed byte. */
    I8(1, 1),
    /** Signed 16-bit integer. */
    I16(1, 2),
    /** Signed 32-bit integer. */
    I32(1, 4),
    /** Signed 64-bit integer. */
    I64(1, 8),
    /** One f16 scale, 32 signed bytes. */
    Q8_0(32, 34),
    /** One f16 scale, 32 nibbles offset by 8. */
    Q4_0(32, 18),
    /** f16 scale and minimum, 32 nibbles. */
    Q4_1(32, 20),
    /** f16 scale, 32 five-bit values offset by 16. */
    Q5_0(32, 22),
    /** f16 scale and minimum, 32 five-bit values. */
    Q5_1(32, 24),
    /** 256 two-bit values; 16 sub-blocks with 4-bit scale and minimum. */
    Q2_K(256, 84),
    /** 256 three-bit values; 16 sub-blocks with 6-bit scale. */
    Q3_K(256, 110),
    /** 256 four-bit values; 8 sub-blocks with 6-bit scale and minimum. */
    Q4_K(256, 144),
    /** 256 five-bit values; 8 sub-blocks with 6-bit scale and minimum. */
    Q5_K(256, 176),
    /** 256 six-bit values; 16 sub-blocks with 8-bit scale. */
    Q6_K(256, 210),
    /** 256 values, 2.06 bits each, by code book. */
    IQ2_XXS(256, 66),
    /** 256 values, 2.31 bits each, by code book. */
    IQ2_XS(256, 74),
    /** 256 values, 2.56 bits each, by code book. */
    IQ2_S(256, 82),
    /** 256 values, 3.06 bits each, by code book. */
    IQ3_XXS(256, 98),
    /** 256 values, 3.44 bits each, by code book. */
    IQ3_S(256, 110),
    /** 256 values, 1.56 bits each, by code book. */
    IQ1_S(256, 50),
    /** 256 values, 1.75 bits each, by code book. */
    IQ1_M(256, 56),
    /** f16 scale, 32 four-bit indices into a table of 16. */
    IQ4_NL(32, 18),
    /** 256 four-bit indices into a table of 16; 8 sub-blocks with 6-bit scale. */
    IQ4_XS(256, 136),
    /** 256 ternary values, 1.69 bits each. */
    TQ1_0(256, 54),
    /** 256 ternary values, 2.06 bits each. */
    TQ2_0(256, 66),
    /** E8M0 scale, 32 E2M1 values. */
    MXFP4(32, 17),
    /** 64 E2M1 values; 4 sub-blocks with UE4M3 scale. */
    NVFP4(64, 36),
    /** f16 scale, 128 one-bit values. */
    Q1_0(128, 18),
    /** f16 scale, two-bit values. */
    Q2_0(64, 18);

    private final int blockElements;
    private final int blockBytes;

    DType(int blockElements, int blockBytes) {
        this.blockElements = blockElements;
        this.blockBytes = blockBytes;
    }

    /**
     * Elements in one block.
     *
     * @return 1 for plain types
     */
    public int blockElements() {
        return blockElements;
    }

    /**
     * Bytes of one block.
     *
     * @return size of an element for plain types
     */
    public int blockBytes() {
        return blockBytes;
    }

    /**
     * Whether elements come in blocks with a shared scale.
     *
     * @return false for plain types
     */
    public boolean quantized() {
        return blockElements > 1;
    }

    /**
     * Bytes of a row.
     *
     * @param columns elements in the row, a multiple of {@link #blockElements()}
     * @return the size
     * @throws IllegalArgumentException where the row is no whole number of blocks
     * @throws ArithmeticException where the size exceeds a long
     */
    public long rowBytes(long columns) {
        if (columns % blockElements != 0) {
            throw new IllegalArgumentException(
                    columns + " columns are no whole number of " + this + " blocks of " + blockElements);
        }
        return Math.multiplyExact(columns / blockElements, (long) blockBytes);
    }
}
