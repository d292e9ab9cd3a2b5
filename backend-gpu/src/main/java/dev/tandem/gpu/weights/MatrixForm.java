package dev.tandem.gpu.weights;

import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.numeric.IntegerBlocks;

/**
 * How a matrix lies on the device. A packed type differs from others of its form only by flags.
 *
 * @param layout of quants and scales, which names the kernels
 * @param flags of the type
 */
public record MatrixForm(Layout layout, int flags) {
    /** Blocks have an offset besides their scale. */
    static final int OFFSET = 1;
    /** Scales of blocks are bfloat16, not binary16. */
    static final int BFLOAT_SCALES = 2;
    /** Nibbles hold the integer plus 8. */
    static final int NIBBLE_ZERO_8 = 4;

    /** Quants by size, integers' scales by kind; or plain elements. */
    public enum Layout {
        /** Bytes, one scale per block. */
        Q8_BLOCK,
        /** Bytes, one scale per segment and an integer per half block. */
        Q8_HALF,
        /** Bytes, one scale per segment times an integer per block. */
        Q8_PRODUCT,
        /** Nibbles, one scale per block. */
        Q4_BLOCK,
        /** Nibbles, one scale per segment and an integer per half block. */
        Q4_HALF,
        /** Nibbles, one scale per segment times an integer per block. */
        Q4_PRODUCT,
        /** Elements of binary32. */
        F32,
        /** Elements of binary16. */
        F16,
        /** Elements of bfloat16. */
        BF16;

        /** Whether activations are quantised, too. */
        public boolean integer() {
            return compareTo(F32) < 0;
        }

        boolean nibbles() {
            return this == Q4_BLOCK || this == Q4_HALF || this == Q4_PRODUCT;
        }

        boolean halves() {
            return this == Q8_HALF || this == Q4_HALF;
        }

        boolean products() {
            return this == Q8_PRODUCT || this == Q4_PRODUCT;
        }
    }

    /** The form of a weight, for integer dots or for the REFERENCE formula. */
    static MatrixForm of(WeightRef weight, boolean integer) {
        return integer ? packed(weight.type()) : plain(weight.type());
    }

    /** Whether FAST multiplies a weight as integers (N2). */
    public static boolean integer(WeightRef weight) {
        return IntegerBlocks.supports(weight.type()) && weight.columns() % IntegerBlocks.BLOCK == 0;
    }

    private static MatrixForm packed(DType type) {
        Layout layout = switch (type) {
            case Q6_K -> Layout.Q8_HALF;
            case Q5_K, IQ4_XS -> Layout.Q8_PRODUCT;
            case Q4_0, Q4_1 -> Layout.Q4_BLOCK;
            case Q2_K, Q3_K -> Layout.Q4_HALF;
            case Q4_K -> Layout.Q4_PRODUCT;
            default -> Layout.Q8_BLOCK;
        };
        int flags = IntegerBlocks.hasOffset(type) ? OFFSET : 0;
        if (type == DType.MXFP4) {
            flags |= BFLOAT_SCALES;
        } else if (type == DType.Q4_0 || type == DType.Q3_K) {
            flags |= NIBBLE_ZERO_8;
        }
        return new MatrixForm(layout, flags);
    }

    private static MatrixForm plain(DType type) {
        return new MatrixForm(
                switch (type) {
                    case F16 -> Layout.F16;
                    case BF16 -> Layout.BF16;
                    default -> Layout.F32;
                },
                0);
    }

    boolean offset() {
        return (flags & OFFSET) != 0;
    }
}
