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
 * @param shift brings a word's exponent and mantissa into place
 * @param mask clears what the shift left between sign and exponent
 * @param factor what is missing in the exponent then: f32's bias is 112 above that of binary16
 */
record Segments(Layout layout, int shift, int mask, float factor) {
    /** Scales by the words of a layout. */
    static Segments of(Layout layout) {
        return layout.type() == DType.MXFP4
                ? new Segments(layout, 16, -1, 1f)
                : new Segments(layout, 13, 0x8fffe000, 0x1p112f);
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

    private FloatVector scale(short[] data, int at) {
        return words(data, at)
                .lanewise(VectorOperators.LSHL, shift)
                .lanewise(VectorOperators.AND, mask)
                .reinterpretAsFloats()
                .mul(factor);
    }

    private void perBlock(
            short[] data, int at, int blocks, Activations x, int first, float[] sums, int so, float[] totals, int to) {
        float[] da = x.scales();
        int[] blockSums = x.blockSums();
        boolean offset = layout.offset();
        for (int lane = 0; lane < GROUP; lane += LANES) {
            FloatVector acc = FloatVector.zero(FLOATS);
            for (int b = 0; b < blocks; b++) {
                FloatVector d = scale(data, at + b * GROUP + lane).mul(da[first + b]);
                acc = FloatVector.fromArray(FLOATS, sums, so + b * GROUP + lane).fma(d, acc);
                if (offset) {
                    FloatVector m =
                            scale(data, at + (blocks + b) * GROUP + lane).mul(da[first + b]);
                    acc = m.fma(FloatVector.broadcast(FLOATS, (float) blockSums[first + b]), acc);
                }
            }
            FloatVector.fromArray(FLOATS, totals, to + lane).add(acc).intoArray(totals, to + lane);
        }
    }

    private void product(
            short[] data, int at, int blocks, Activations x, int first, float[] sums, int so, float[] totals, int to) {
        float[] da = x.scales();
        int[] blockSums = x.blockSums();
        boolean offset = layout.offset();
        int factors = at + (offset ? 2 : 1) * GROUP;
        for (int lane = 0; lane < GROUP; lane += LANES) {
            FloatVector d = scale(data, at + lane);
            FloatVector m = offset ? scale(data, at + GROUP + lane) : d;
            FloatVector acc = FloatVector.zero(FLOATS);
            for (int b = 0; b < blocks; b++) {
                IntVector bytes = words(data, factors + b * GROUP + lane);
                FloatVector dw = d.mul(toFloat(lowByte(bytes))).mul(da[first + b]);
                acc = FloatVector.fromArray(FLOATS, sums, so + b * GROUP + lane).fma(dw, acc);
                if (offset) {
                    FloatVector mw = m.mul(toFloat(highByte(bytes))).mul(da[first + b]);
                    acc = mw.fma(FloatVector.broadcast(FLOATS, (float) blockSums[first + b]), acc);
                }
            }
            FloatVector.fromArray(FLOATS, totals, to + lane).add(acc).intoArray(totals, to + lane);
        }
    }

    /** Sums of halves times sub-scales, and their sum, stay below 2^24, so float computes them exactly. */
    private void perHalf(
            short[] data, int at, int blocks, Activations x, int first, float[] sums, int so, float[] totals, int to) {
        float[] da = x.scales();
        int[] halfSums = x.halfSums();
        boolean offset = layout.offset();
        int factors = at + (offset ? 2 : 1) * GROUP;
        for (int lane = 0; lane < GROUP; lane += LANES) {
            FloatVector d = scale(data, at + lane);
            FloatVector m = offset ? scale(data, at + GROUP + lane) : d;
            FloatVector acc = FloatVector.zero(FLOATS);
            for (int b = 0; b < blocks; b++) {
                IntVector bytes = words(data, factors + b * GROUP + lane);
                int half = so + 2 * b * GROUP + lane;
                FloatVector sum = FloatVector.fromArray(FLOATS, sums, half).mul(toFloat(lowByte(bytes)));
                sum = FloatVector.fromArray(FLOATS, sums, half + GROUP).fma(toFloat(highByte(bytes)), sum);
                acc = sum.fma(d.mul(da[first + b]), acc);
                if (offset) {
                    bytes = words(data, factors + (blocks + b) * GROUP + lane);
                    IntVector term = lowByte(bytes)
                            .mul(halfSums[2 * (first + b)])
                            .add(highByte(bytes).mul(halfSums[2 * (first + b) + 1]));
                    acc = toFloat(term).fma(m.mul(da[first + b]), acc);
                }
            }
            FloatVector.fromArray(FLOATS, totals, to + lane).add(acc).intoArray(totals, to + lane);
        }
    }

    private static IntVector lowByte(IntVector word) {
        return word.lanewise(VectorOperators.LSHL, 24).lanewise(VectorOperators.ASHR, 24);
    }

    private static IntVector highByte(IntVector word) {
        return word.lanewise(VectorOperators.ASHR, 8);
    }
}
