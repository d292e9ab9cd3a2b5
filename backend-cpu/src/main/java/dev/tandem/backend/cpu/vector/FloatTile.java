package dev.tandem.backend.cpu.vector;

import static dev.tandem.backend.cpu.vector.Lanes.FLOATS;
import static dev.tandem.backend.cpu.vector.Lanes.GROUP;
import static dev.tandem.backend.cpu.vector.Lanes.LANES;
import static dev.tandem.backend.cpu.vector.Lanes.toFloat;

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
    /** Rows of activations that share each loaded weight. */
    static final int ROWS = 4;

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
     * Sums of {@link #ROWS} rows of activations over some columns of a widened block.
     *
     * @param w widened block
     * @param from first column
     * @param to end of the columns
     * @param a quantised activations as f32
     * @param a0 column 0 of the block in the first row
     * @param a1 column 0 of the block in the second row
     * @param a2 column 0 of the block in the third row
     * @param a3 column 0 of the block in the fourth row
     * @param sums receives the group's sums of each row
     * @param at of the first row
     * @param stride from row to row
     */
    static void sums(
            float[] w, int from, int to, float[] a, int a0, int a1, int a2, int a3, float[] sums, int at, int stride) {
        for (int lane = 0; lane < GROUP; lane += 2 * LANES) {
            FloatVector s00 = FloatVector.zero(FLOATS);
            FloatVector s01 = s00;
            FloatVector s10 = s00;
            FloatVector s11 = s00;
            FloatVector s20 = s00;
            FloatVector s21 = s00;
            FloatVector s30 = s00;
            FloatVector s31 = s00;
            for (int k = from; k < to; k++) {
                FloatVector w0 = FloatVector.fromArray(FLOATS, w, k * GROUP + lane);
                FloatVector w1 = FloatVector.fromArray(FLOATS, w, k * GROUP + lane + LANES);
                FloatVector x = FloatVector.broadcast(FLOATS, a[a0 + k]);
                s00 = w0.fma(x, s00);
                s01 = w1.fma(x, s01);
                x = FloatVector.broadcast(FLOATS, a[a1 + k]);
                s10 = w0.fma(x, s10);
                s11 = w1.fma(x, s11);
                x = FloatVector.broadcast(FLOATS, a[a2 + k]);
                s20 = w0.fma(x, s20);
                s21 = w1.fma(x, s21);
                x = FloatVector.broadcast(FLOATS, a[a3 + k]);
                s30 = w0.fma(x, s30);
                s31 = w1.fma(x, s31);
            }
            int out = at + lane;
            s00.intoArray(sums, out);
            s01.intoArray(sums, out + LANES);
            s10.intoArray(sums, out + stride);
            s11.intoArray(sums, out + stride + LANES);
            s20.intoArray(sums, out + 2 * stride);
            s21.intoArray(sums, out + 2 * stride + LANES);
            s30.intoArray(sums, out + 3 * stride);
            s31.intoArray(sums, out + 3 * stride + LANES);
        }
    }
}
