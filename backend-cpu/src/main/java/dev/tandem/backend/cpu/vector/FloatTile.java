package dev.tandem.backend.cpu.vector;

import static dev.tandem.backend.cpu.vector.Lanes.FLOATS;
import static dev.tandem.backend.cpu.vector.Lanes.GROUP;
import static dev.tandem.backend.cpu.vector.Lanes.LANES;
import static dev.tandem.backend.cpu.vector.Lanes.toFloat;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.spi.numeric.IntegerBlocks;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Sums of several rows of activations with one block of packed rows. The block's quants are widened to f32 once; the
 * products and sums of a block are integers below 2^24, so fma in f32 computes them exactly.
 */
final class FloatTile {
    private FloatTile() {}

    /**
     * Widens a block of bytes.
     *
     * @param data holds the quants
     * @param at first of them
     * @param w receives column k of the group at {@code k * GROUP}
     */
    static void widenBytes(short[] data, int at, float[] w) {
        for (int k = 0; k < IntegerBlocks.BLOCK; k += 2) {
            for (int half = 0; half < GROUP; half += GROUP / 2) {
                IntVector x = ShortVector.fromArray(Lanes.SHORTS, data, at + k / 2 * GROUP + half)
                        .reinterpretAsInts();
                int to = k * GROUP + half;
                toFloat(x.lanewise(VectorOperators.LSHL, 24).lanewise(VectorOperators.ASHR, 24))
                        .intoArray(w, to);
                toFloat(x.lanewise(VectorOperators.LSHL, 8).lanewise(VectorOperators.ASHR, 24))
                        .intoArray(w, to + LANES);
                // A negative first byte has borrowed from the second; adding half of its range repays that.
                toFloat(x.lanewise(VectorOperators.LSHL, 16).add(128 << 16).lanewise(VectorOperators.ASHR, 24))
                        .intoArray(w, to + GROUP);
                toFloat(x.add(128 << 16).lanewise(VectorOperators.ASHR, 24)).intoArray(w, to + GROUP + LANES);
            }
        }
    }

    /**
     * Widens a block of nibbles.
     *
     * @param data holds the quants
     * @param at first of them
     * @param zero is subtracted
     * @param w receives column k of the group at {@code k * GROUP}
     */
    static void widenNibbles(short[] data, int at, int zero, float[] w) {
        for (int k = 0; k < IntegerBlocks.BLOCK; k += 4) {
            for (int half = 0; half < GROUP; half += GROUP / 2) {
                IntVector x = ShortVector.fromArray(Lanes.SHORTS, data, at + k / 4 * GROUP + half)
                        .reinterpretAsInts();
                for (int i = 0; i < 4; i++) {
                    int to = (k + i) * GROUP + half;
                    toFloat(x.and(15).sub(zero)).intoArray(w, to);
                    toFloat(x.lanewise(VectorOperators.LSHR, 16).and(15).sub(zero))
                            .intoArray(w, to + LANES);
                    x = x.lanewise(VectorOperators.LSHR, 4);
                }
            }
        }
    }

    /**
     * Multiplies columns of a widened block by the sub-scale of each row, an integer: products and their sums are still
     * exact, at most 16,646,144.
     *
     * @param w widened block
     * @param from first column
     * @param to end of the columns
     * @param factors one per row of the group
     * @param fo first of them
     */
    static void scale(float[] w, int from, int to, float[] factors, int fo) {
        for (int lane = 0; lane < GROUP; lane += LANES) {
            FloatVector factor = FloatVector.fromArray(FLOATS, factors, fo + lane);
            for (int k = from; k < to; k++) {
                int at = k * GROUP + lane;
                FloatVector.fromArray(FLOATS, w, at).mul(factor).intoArray(w, at);
            }
        }
    }

    /**
     * Adds the scaled sums of one block to {@link Activations#TILE} rows of results: acc = fma(sum, dw * da, acc).
     *
     * @param w widened block
     * @param a activations, four rows interleaved
     * @param ao column 0 of the block in them
     * @param dw scale of the block per row of the group
     * @param dwo first of them
     * @param da scale of the block per row of activations
     * @param dao first of them
     * @param acc results, one group per row
     * @param at of the first row
     */
    static void add(float[] w, float[] a, int ao, float[] dw, int dwo, float[] da, int dao, float[] acc, int at) {
        float da0 = da[dao];
        float da1 = da[dao + 1];
        float da2 = da[dao + 2];
        float da3 = da[dao + 3];
        for (int lane = 0; lane < GROUP; lane += 2 * LANES) {
            FloatVector s00 = FloatVector.zero(FLOATS);
            FloatVector s01 = s00;
            FloatVector s10 = s00;
            FloatVector s11 = s00;
            FloatVector s20 = s00;
            FloatVector s21 = s00;
            FloatVector s30 = s00;
            FloatVector s31 = s00;
            // C2 compiles the loop best when it knows the number of turns, and one stream of activations better than
            // four.
            for (int k = 0; k < IntegerBlocks.BLOCK; k++) {
                FloatVector w0 = FloatVector.fromArray(FLOATS, w, k * GROUP + lane);
                FloatVector w1 = FloatVector.fromArray(FLOATS, w, k * GROUP + lane + LANES);
                int i = ao + k * Activations.TILE;
                FloatVector x = FloatVector.broadcast(FLOATS, a[i]);
                s00 = w0.fma(x, s00);
                s01 = w1.fma(x, s01);
                x = FloatVector.broadcast(FLOATS, a[i + 1]);
                s10 = w0.fma(x, s10);
                s11 = w1.fma(x, s11);
                x = FloatVector.broadcast(FLOATS, a[i + 2]);
                s20 = w0.fma(x, s20);
                s21 = w1.fma(x, s21);
                x = FloatVector.broadcast(FLOATS, a[i + 3]);
                s30 = w0.fma(x, s30);
                s31 = w1.fma(x, s31);
            }
            FloatVector d0 = FloatVector.fromArray(FLOATS, dw, dwo + lane);
            FloatVector d1 = FloatVector.fromArray(FLOATS, dw, dwo + lane + LANES);
            int to = at + lane;
            add(s00, d0, da0, acc, to);
            add(s01, d1, da0, acc, to + LANES);
            add(s10, d0, da1, acc, to + GROUP);
            add(s11, d1, da1, acc, to + GROUP + LANES);
            add(s20, d0, da2, acc, to + 2 * GROUP);
            add(s21, d1, da2, acc, to + 2 * GROUP + LANES);
            add(s30, d0, da3, acc, to + 3 * GROUP);
            add(s31, d1, da3, acc, to + 3 * GROUP + LANES);
        }
    }

    private static void add(FloatVector sum, FloatVector dw, float da, float[] acc, int at) {
        sum.fma(dw.mul(da), FloatVector.fromArray(FLOATS, acc, at)).intoArray(acc, at);
    }
}
