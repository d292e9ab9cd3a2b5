package dev.tandem.gpu.weights;

import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.numeric.IntegerBlocks;
import java.util.Locale;

/** How a matrix lies on the device; the names are those of the kernels that read it. */
public enum MatrixForm {
    /** Bytes; a scale per block. */
    Q8_BLOCK(Part.MANY_ROWS),
    /** Bytes; a scale and an offset per block. */
    Q8_BLOCK_OFFSET(Part.OFFSETS),
    /** Bytes; a scale per block, as bfloat16. */
    Q8_BLOCK_BF16(Part.BFLOAT_SCALES),
    /** Bytes; a scale per segment and an integer per half block. */
    Q8_HALF(Part.HALVES, Part.MANY_ROWS),
    /** Bytes; a scale and an offset per segment, and an integer for each per block. */
    Q8_PRODUCT(Part.PRODUCTS, Part.MANY_ROWS),
    /** Nibbles that hold the integer plus 8; a scale per block. */
    Q4_BLOCK_ZERO8(Part.NIBBLES, Part.ZERO_8, Part.MANY_ROWS),
    /** Nibbles; a scale and an offset per block. */
    Q4_BLOCK_OFFSET(Part.NIBBLES, Part.OFFSETS),
    /** Nibbles; a scale and an offset per segment, and an integer for each per half block. */
    Q4_HALF_OFFSET(Part.NIBBLES, Part.HALVES, Part.OFFSETS),
    /** Nibbles that hold the integer plus 8; a scale per segment and an integer per half block. */
    Q4_HALF_ZERO8(Part.NIBBLES, Part.ZERO_8, Part.HALVES),
    /** Nibbles; a scale and an offset per segment, and an integer for each per block. */
    Q4_PRODUCT(Part.NIBBLES, Part.PRODUCTS, Part.MANY_ROWS),
    /** Elements of binary32. */
    F32(Part.ELEMENTS),
    /** Elements of binary16. */
    F16(Part.ELEMENTS),
    /** Elements of bfloat16. */
    BF16(Part.ELEMENTS);

    /** What distinguishes forms. */
    private enum Part {
        ELEMENTS(1),
        NIBBLES(2),
        ZERO_8(4),
        HALVES(8),
        PRODUCTS(16),
        OFFSETS(32),
        BFLOAT_SCALES(64),
        MANY_ROWS(128);

        private final int bit;

        Part(int bit) {
            this.bit = bit;
        }
    }

    /** A bit for each part. */
    private final int parts;

    MatrixForm(Part... parts) {
        int bits = 0;
        for (Part part : parts) {
            bits |= part.bit;
        }
        this.parts = bits;
    }

    private boolean has(Part part) {
        return (parts & part.bit) != 0;
    }

    /** The form of a weight, for integer dots or for the REFERENCE formula. */
    static MatrixForm of(DType type, boolean integer) {
        return integer ? packed(type) : plain(type);
    }

    private static MatrixForm packed(DType type) {
        return switch (type) {
            case Q5_1 -> Q8_BLOCK_OFFSET;
            case MXFP4 -> Q8_BLOCK_BF16;
            case Q6_K -> Q8_HALF;
            case Q5_K, IQ4_XS -> Q8_PRODUCT;
            case Q4_0 -> Q4_BLOCK_ZERO8;
            case Q4_1 -> Q4_BLOCK_OFFSET;
            case Q2_K -> Q4_HALF_OFFSET;
            case Q3_K -> Q4_HALF_ZERO8;
            case Q4_K -> Q4_PRODUCT;
            default -> Q8_BLOCK;
        };
    }

    private static MatrixForm plain(DType type) {
        return switch (type) {
            case F16 -> F16;
            case BF16 -> BF16;
            default -> F32;
        };
    }

    /** Whether FAST multiplies a weight as integers (N2). */
    static boolean integer(WeightRef weight) {
        return IntegerBlocks.supports(weight.type()) && weight.columns() % IntegerBlocks.BLOCK == 0;
    }

    /** Part of the names of its kernels. */
    public String kernelName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether activations are quantised, too. */
    public boolean integer() {
        return !has(Part.ELEMENTS);
    }

    /** Whether there are kernels that share its loads among more than eight rows. */
    public boolean manyRows() {
        return has(Part.MANY_ROWS);
    }

    boolean nibbles() {
        return has(Part.NIBBLES);
    }

    /** What is added to an integer to make it a nibble. */
    int nibbleZero() {
        return has(Part.ZERO_8) ? 8 : 0;
    }

    boolean halves() {
        return has(Part.HALVES);
    }

    boolean products() {
        return has(Part.PRODUCTS);
    }

    /** Whether every block has words of its own for offsets. */
    boolean offsets() {
        return has(Part.OFFSETS);
    }

    boolean bfloatScales() {
        return has(Part.BFLOAT_SCALES);
    }
}
