package dev.tandem.backend.cpu.vector;

import dev.tandem.spi.model.DType;
import dev.tandem.spi.numeric.IntegerBlocks;

/**
 * How blocks of one type lie in a packed matrix: an array of shorts, lanes = rows.
 *
 * <p>A group of {@link Lanes#GROUP} rows is followed by the next; in a group, segments of 8 blocks follow each other. A
 * segment is its quants, then its scale words. <b>Quants</b>: one vector pair of shorts per step; a short holds either
 * four nibbles of consecutive columns (lowest first, integer + {@link #NIBBLE_ZERO} for signed types) or two bytes, as
 * {@code q0 + 256 * q1}. Lane 2i of the first vector is row i, lane 2i + 1 row i + LANES, so that the even and odd shorts
 * of a vector are two int vectors of consecutive rows. <b>Words</b>: one short per row each,
 *
 * <ul>
 *   <li>{@link Scaling#PER_BLOCK}: scale d of every block, then offset m of every block;
 *   <li>{@link Scaling#PER_HALF}: d, m of the segment; then of every block the two sub-scales as bytes, then of every
 *       block the two sub-offsets;
 *   <li>{@link Scaling#PRODUCT}: d, m of the segment; then of every block the factor of d and the factor of m as bytes.
 * </ul>
 *
 * Words of offsets are there only for types that have them. d and m are binary16, bfloat16 for MXFP4.
 *
 * @param type of the weights
 * @param nibbles whether quants take four bits
 * @param signed whether quants are signed; only for nibbles
 * @param scaling which scales there are
 * @param offset whether there are offsets
 */
record Layout(DType type, boolean nibbles, boolean signed, Scaling scaling, boolean offset) {
    /** What scales a block. */
    enum Scaling {
        /** One scale per block. */
        PER_BLOCK,
        /** One scale per segment, an integer per half block. */
        PER_HALF,
        /** One scale per segment, times an integer per block. */
        PRODUCT
    }

    /** What is added to signed quants so that they are nibbles; unsigned ones are summed as if it had been. */
    static final int NIBBLE_ZERO = 8;
    /** Blocks in a segment (N2). */
    static final int SEGMENT = 8;

    /** The layout for a type that FAST multiplies as integers. */
    static Layout of(DType type) {
        boolean nibbles = switch (type) {
            case Q4_0, Q4_1, Q4_K, Q2_K, Q3_K -> true;
            default -> false;
        };
        Scaling scaling = switch (type) {
            case Q2_K, Q3_K, Q6_K -> Scaling.PER_HALF;
            case Q4_K, Q5_K, IQ4_XS -> Scaling.PRODUCT;
            default -> Scaling.PER_BLOCK;
        };
        boolean offset = IntegerBlocks.hasOffset(type);
        return new Layout(type, nibbles, !offset, scaling, offset);
    }

    /** Shorts of quants of one row in a block. */
    int quantShorts() {
        return nibbles ? IntegerBlocks.BLOCK / 4 : IntegerBlocks.BLOCK / 2;
    }

    /** Shorts of one row in a segment. */
    int segmentShorts(int blocks) {
        int terms = offset ? 2 : 1;
        int words = switch (scaling) {
            case PER_BLOCK -> terms * blocks;
            case PER_HALF -> terms + terms * blocks;
            case PRODUCT -> terms + blocks;
        };
        return quantShorts() * blocks + words;
    }

    /** Shorts of one row. */
    long rowShorts(int blocks) {
        int rest = blocks % SEGMENT;
        return (long) (blocks / SEGMENT) * segmentShorts(SEGMENT) + (rest == 0 ? 0 : segmentShorts(rest));
    }

    /** Whether every half block has a sum of its own. */
    boolean halves() {
        return scaling == Scaling.PER_HALF;
    }
}
