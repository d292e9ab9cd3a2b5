package dev.tandem.backend.cpu.vector;

import static dev.tandem.backend.cpu.vector.Lanes.FLOATS;
import static dev.tandem.backend.cpu.vector.Lanes.GROUP;
import static dev.tandem.backend.cpu.vector.Lanes.LANES;
import static dev.tandem.backend.cpu.vector.Lanes.toFloat;
import static dev.tandem.backend.cpu.vector.Lanes.words;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.spi.model.DType;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Scales the exact sums of one segment and adds them to the totals of a group of rows, in the order of N2: blocks in
 * order from +0 into one accumulator per row, which is then added to the row's total.
 *
 * @param layout of the words
 * @param wide whether scales are bfloat16, else binary16
 */
record Segments(Layout layout, boolean wide) {
    /** Floats that hold the words of a segment. */
    static final int FACTORS = 6 * Layout.SEGMENT * GROUP;

    /** Scales by the words of a layout. */
    static Segments of(Layout layout) {
        return new Segments(layout, layout.type() == DType.MXFP4);
    }

    /**
     * Adds one segment.
     *
     * @param data holds the words
     * @param at first word of the segment
     * @param blocks in the segment
     * @param x activations
     * @param first block of x
     * @param sums of the blocks or half blocks, as floats, exact
     * @param so first sum
     * @param totals of the group
     * @param to first total
     */
    void add(short[] data, int at, int blocks, Activations x, int first, float[] sums, int so, float[] totals, int to) {
        switch (layout.scaling()) {
            case PER_BLOCK -> perBlock(data, at, blocks, x, first, sums, so, totals, to);
            case PER_HALF -> perHalf(data, at, blocks, x, first, sums, so, totals, to);
            case PRODUCT -> product(data, at, blocks, x, first, sums, so, totals, to);
        }
    }

    private void perBlock(
            short[] data, int at, int blocks, Activations x, int first, float[] sums, int so, float[] totals, int to) {
        boolean offset = layout.offset();
        int offsets = at + blocks * GROUP;
        for (int pair = 0; pair < GROUP; pair += 2 * LANES) {
            FloatVector acc0 = FloatVector.zero(FLOATS);
            FloatVector acc1 = acc0;
            for (int b = 0; b < blocks; b++) {
                int i = b * GROUP + pair;
                FloatVector da = FloatVector.broadcast(FLOATS, x.scales()[first + b]);
                acc0 = sum(sums, so + i).fma(scale(data, at + i).mul(da), acc0);
                acc1 = sum(sums, so + i + LANES).fma(scale(data, at + i + LANES).mul(da), acc1);
                if (offset) {
                    FloatVector blockSum = FloatVector.broadcast(FLOATS, (float) x.blockSums()[first + b]);
                    acc0 = blockSum.fma(scale(data, offsets + i).mul(da), acc0);
                    acc1 = blockSum.fma(scale(data, offsets + i + LANES).mul(da), acc1);
                }
            }
            addTo(totals, to + pair, acc0, acc1);
        }
    }

    private void product(
            short[] data, int at, int blocks, Activations x, int first, float[] sums, int so, float[] totals, int to) {
        boolean offset = layout.offset();
        int factors = at + (offset ? 2 : 1) * GROUP;
        for (int lane = 0; lane < GROUP; lane += LANES) {
            FloatVector d = scale(data, at + lane);
            FloatVector m = offset ? scale(data, at + GROUP + lane) : d;
            FloatVector acc = FloatVector.zero(FLOATS);
            for (int b = 0; b < blocks; b++) {
                FloatVector da = FloatVector.broadcast(FLOATS, x.scales()[first + b]);
                IntVector bytes = words(data, factors + b * GROUP + lane);
                FloatVector dw = d.mul(toFloat(lowByte(bytes)));
                acc = sum(sums, so + b * GROUP + lane).fma(dw.mul(da), acc);
                if (offset) {
                    FloatVector mw = m.mul(toFloat(highByte(bytes)));
                    FloatVector blockSum = FloatVector.broadcast(FLOATS, (float) x.blockSums()[first + b]);
                    acc = blockSum.fma(mw.mul(da), acc);
                }
            }
            sum(totals, to + lane).add(acc).intoArray(totals, to + lane);
        }
    }

    /** Sums of halves times sub-scales, and their sum, stay below 2^24, so float computes them exactly. */
    private void perHalf(
            short[] data, int at, int blocks, Activations x, int first, float[] sums, int so, float[] totals, int to) {
        boolean offset = layout.offset();
        int factors = at + (offset ? 2 : 1) * GROUP;
        for (int lane = 0; lane < GROUP; lane += LANES) {
            FloatVector d = scale(data, at + lane);
            FloatVector m = offset ? scale(data, at + GROUP + lane) : d;
            FloatVector acc = FloatVector.zero(FLOATS);
            for (int b = 0; b < blocks; b++) {
                FloatVector da = FloatVector.broadcast(FLOATS, x.scales()[first + b]);
                IntVector bytes = words(data, factors + b * GROUP + lane);
                int half = so + 2 * b * GROUP + lane;
                FloatVector sum = sum(sums, half).mul(toFloat(lowByte(bytes)));
                sum = sum(sums, half + GROUP).fma(toFloat(highByte(bytes)), sum);
                acc = sum.fma(d.mul(da), acc);
                if (offset) {
                    bytes = words(data, factors + (blocks + b) * GROUP + lane);
                    IntVector term = lowByte(bytes)
                            .mul(x.halfSums()[2 * (first + b)])
                            .add(highByte(bytes).mul(x.halfSums()[2 * (first + b) + 1]));
                    acc = toFloat(term).fma(m.mul(da), acc);
                }
            }
            sum(totals, to + lane).add(acc).intoArray(totals, to + lane);
        }
    }

    /** Where the scales dw of a block begin in the factors of a segment. */
    static int scale(int block) {
        return block * GROUP;
    }

    /** Where the sub-scales of a half block begin. */
    static int subScale(int block, int half) {
        return (2 * Layout.SEGMENT + 2 * block + half) * GROUP;
    }

    /** Where the scales of the offsets of a block begin. */
    private static int offset(int block) {
        return (Layout.SEGMENT + block) * GROUP;
    }

    /** Where the sub-offsets of a half block begin. */
    private static int subOffset(int block, int half) {
        return (4 * Layout.SEGMENT + 2 * block + half) * GROUP;
    }

    /**
     * Makes the words of one segment f32, for several rows of activations.
     *
     * @param data holds the words
     * @param at first word of the segment
     * @param blocks in the segment
     * @param factors receives them, {@link #FACTORS} of them
     */
    void factors(short[] data, int at, int blocks, float[] factors) {
        boolean offset = layout.offset();
        for (int lane = 0; lane < GROUP; lane += LANES) {
            for (int b = 0; b < blocks; b++) {
                int word = b * GROUP + lane;
                switch (layout.scaling()) {
                    case PER_BLOCK -> {
                        scale(data, at + word).intoArray(factors, word);
                        if (offset) {
                            scale(data, at + blocks * GROUP + word).intoArray(factors, offset(b) + lane);
                        }
                    }
                    case PRODUCT -> {
                        IntVector bytes = words(data, at + (offset ? 2 : 1) * GROUP + word);
                        scale(data, at + lane).mul(toFloat(lowByte(bytes))).intoArray(factors, word);
                        if (offset) {
                            scale(data, at + GROUP + lane)
                                    .mul(toFloat(highByte(bytes)))
                                    .intoArray(factors, offset(b) + lane);
                        }
                    }
                    case PER_HALF -> {
                        IntVector bytes = words(data, at + (offset ? 2 : 1) * GROUP + word);
                        scale(data, at + lane).intoArray(factors, word);
                        toFloat(lowByte(bytes)).intoArray(factors, subScale(b, 0) + lane);
                        toFloat(highByte(bytes)).intoArray(factors, subScale(b, 1) + lane);
                        if (offset) {
                            bytes = words(data, at + (2 + blocks) * GROUP + word);
                            scale(data, at + GROUP + lane).intoArray(factors, offset(b) + lane);
                            toFloat(lowByte(bytes)).intoArray(factors, subOffset(b, 0) + lane);
                            toFloat(highByte(bytes)).intoArray(factors, subOffset(b, 1) + lane);
                        }
                    }
                }
            }
        }
    }

    /**
     * Adds the offsets of one block to the results of one row of activations: acc = fma(sum, mw * da, acc), the sum that
     * of the activations, or of their halves times sub-offsets, which is exact.
     *
     * @param factors of the segment
     * @param block in the segment
     * @param x activations
     * @param index of the block in x
     * @param acc results of the group
     * @param at first of them
     */
    void addOffset(float[] factors, int block, Activations x, int index, float[] acc, int at) {
        for (int lane = 0; lane < GROUP; lane += LANES) {
            FloatVector sum = FloatVector.broadcast(FLOATS, x.blockSums()[index]);
            if (layout.halves()) {
                FloatVector second = sum(factors, subOffset(block, 1) + lane).mul(x.halfSums()[2 * index + 1]);
                sum = sum(factors, subOffset(block, 0) + lane)
                        .fma(FloatVector.broadcast(FLOATS, x.halfSums()[2 * index]), second);
            }
            FloatVector mw = sum(factors, offset(block) + lane);
            sum.fma(mw.mul(x.scales()[index]), sum(acc, at + lane)).intoArray(acc, at + lane);
        }
    }

    /** Words as f32: the exponent of binary16 is 112 below that of f32 once both stand at the same bits. */
    private FloatVector scale(short[] data, int at) {
        IntVector bits = words(data, at);
        if (wide) {
            return bits.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
        }
        return bits.lanewise(VectorOperators.LSHL, 13)
                .lanewise(VectorOperators.AND, 0x8fffe000)
                .reinterpretAsFloats()
                .mul(0x1p112f);
    }

    private static FloatVector sum(float[] sums, int at) {
        return FloatVector.fromArray(FLOATS, sums, at);
    }

    private static void addTo(float[] totals, int to, FloatVector acc0, FloatVector acc1) {
        sum(totals, to).add(acc0).intoArray(totals, to);
        sum(totals, to + LANES).add(acc1).intoArray(totals, to + LANES);
    }

    private static IntVector lowByte(IntVector word) {
        return word.lanewise(VectorOperators.LSHL, 24).lanewise(VectorOperators.ASHR, 24);
    }

    private static IntVector highByte(IntVector word) {
        return word.lanewise(VectorOperators.ASHR, 8);
    }
}
