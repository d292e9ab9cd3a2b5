package dev.tandem.backend.cpu.vector;

import static dev.tandem.backend.cpu.vector.Lanes.GROUP;
import static dev.tandem.backend.cpu.vector.Lanes.LANES;
import static dev.tandem.backend.cpu.vector.Lanes.SHORTS;
import static dev.tandem.backend.cpu.vector.Lanes.high;
import static dev.tandem.backend.cpu.vector.Lanes.low;
import static dev.tandem.backend.cpu.vector.Lanes.toFloat;

import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Exact sums of one row of activations with a group of packed rows; see {@link Layout} for the packing.
 *
 * <p>Packed quants are not taken apart. Arithmetic of shorts is modulo 2^16, and a short that holds several quants, say
 * {@code x = q0 + 16 * q1}, satisfies {@code q0 * a0 + q1 * a1 = x * a0 + (x >>> 4) * (a1 - 16 * a0)}: the higher quant's
 * surplus is subtracted through its own activation. {@link dev.tandem.backend.cpu.kernel.Activations} holds the activations in that form. The
 * result is right whenever the sum proper fits into a short, which the bounds at each method show.
 */
final class IntegerDots {
    private IntegerDots() {}

    /**
     * Sums of blocks of nibbles, modulo 2^16 and in the packing's order of rows; {@link #spread} completes them.
     *
     * @param data holds the quants
     * @param at first of them
     * @param count blocks
     * @param a activations as quads
     * @param ao first of them
     * @param sums receives {@code count} groups
     */
    static void nibbles(short[] data, int at, int count, short[] a, int ao, short[] sums) {
        for (int i = 0; i < count; i++) {
            int from = at + i * (8 * GROUP);
            int af = ao + i * 32;
            ShortVector c0 = ShortVector.zero(SHORTS);
            ShortVector c1 = c0;
            for (int k = 0; k < 8; k++) {
                ShortVector x0 = ShortVector.fromArray(SHORTS, data, from + k * GROUP);
                ShortVector x1 = ShortVector.fromArray(SHORTS, data, from + k * GROUP + GROUP / 2);
                ShortVector p = ShortVector.broadcast(SHORTS, a[af + 4 * k]);
                c0 = c0.add(x0.mul(p));
                c1 = c1.add(x1.mul(p));
                p = ShortVector.broadcast(SHORTS, a[af + 4 * k + 1]);
                c0 = c0.add(x0.lanewise(VectorOperators.LSHR, 4).mul(p));
                c1 = c1.add(x1.lanewise(VectorOperators.LSHR, 4).mul(p));
                p = ShortVector.broadcast(SHORTS, a[af + 4 * k + 2]);
                c0 = c0.add(x0.lanewise(VectorOperators.LSHR, 8).mul(p));
                c1 = c1.add(x1.lanewise(VectorOperators.LSHR, 8).mul(p));
                p = ShortVector.broadcast(SHORTS, a[af + 4 * k + 3]);
                c0 = c0.add(x0.lanewise(VectorOperators.LSHR, 12).mul(p));
                c1 = c1.add(x1.lanewise(VectorOperators.LSHR, 12).mul(p));
            }
            c0.intoArray(sums, i * GROUP);
            c1.intoArray(sums, i * GROUP + GROUP / 2);
        }
    }

    /** As {@link #nibbles}, for half blocks: with a trip count that C2 knows, the loop is twice as fast. */
    static void nibbleHalves(short[] data, int at, int count, short[] a, int ao, short[] sums) {
        for (int i = 0; i < count; i++) {
            int from = at + i * (4 * GROUP);
            int af = ao + i * 16;
            ShortVector c0 = ShortVector.zero(SHORTS);
            ShortVector c1 = c0;
            for (int k = 0; k < 4; k++) {
                ShortVector x0 = ShortVector.fromArray(SHORTS, data, from + k * GROUP);
                ShortVector x1 = ShortVector.fromArray(SHORTS, data, from + k * GROUP + GROUP / 2);
                ShortVector p = ShortVector.broadcast(SHORTS, a[af + 4 * k]);
                c0 = c0.add(x0.mul(p));
                c1 = c1.add(x1.mul(p));
                p = ShortVector.broadcast(SHORTS, a[af + 4 * k + 1]);
                c0 = c0.add(x0.lanewise(VectorOperators.LSHR, 4).mul(p));
                c1 = c1.add(x1.lanewise(VectorOperators.LSHR, 4).mul(p));
                p = ShortVector.broadcast(SHORTS, a[af + 4 * k + 2]);
                c0 = c0.add(x0.lanewise(VectorOperators.LSHR, 8).mul(p));
                c1 = c1.add(x1.lanewise(VectorOperators.LSHR, 8).mul(p));
                p = ShortVector.broadcast(SHORTS, a[af + 4 * k + 3]);
                c0 = c0.add(x0.lanewise(VectorOperators.LSHR, 12).mul(p));
                c1 = c1.add(x1.lanewise(VectorOperators.LSHR, 12).mul(p));
            }
            c0.intoArray(sums, i * GROUP);
            c1.intoArray(sums, i * GROUP + GROUP / 2);
        }
    }

    /**
     * Completes sums of nibbles. With {@link Layout#NIBBLE_ZERO} taken off every quant, 32 products are at most
     * 32 * 8 * 127 = 32,512, so that the sum modulo 2^16 is the sum.
     *
     * @param raw sums of {@link #nibbles}
     * @param count sums per row
     * @param activationSums sum of the activations of each sum
     * @param so first of them
     * @param zeroBack what the quants' zero is above -{@link Layout#NIBBLE_ZERO}
     * @param sums receives {@code count} groups
     */
    static void spread(short[] raw, int count, int[] activationSums, int so, int zeroBack, float[] sums) {
        for (int i = 0; i < 2 * count; i++) {
            int sum = activationSums[so + (i >> 1)];
            IntVector pairs = ShortVector.fromArray(SHORTS, raw, i * (GROUP / 2))
                    .sub((short) (Layout.NIBBLE_ZERO * sum))
                    .reinterpretAsInts();
            toFloat(low(pairs).add(zeroBack * sum)).intoArray(sums, i * (GROUP / 2));
            toFloat(high(pairs).add(zeroBack * sum)).intoArray(sums, i * (GROUP / 2) + LANES);
        }
    }

    /**
     * Sums of bytes. Two products are at most 2 * 128 * 127 = 32,512; they are added as a pair of shorts in one int, the
     * high one apart as well, and the low one is the difference.
     *
     * @param data holds the quants
     * @param at first of them
     * @param count sums per row
     * @param steps of two columns in a sum: 16, or 8 for half blocks
     * @param a activations as pairs
     * @param ao first of them
     * @param sums receives {@code count} groups
     */
    static void bytes(short[] data, int at, int count, int steps, short[] a, int ao, float[] sums) {
        IntVector pairs0 = IntVector.zero(Lanes.INTS);
        IntVector highs0 = pairs0;
        IntVector pairs1 = pairs0;
        IntVector highs1 = pairs0;
        int flipped = steps * 0x8000;
        for (int k = 0; k < count * steps; k++) {
            ShortVector p = ShortVector.broadcast(SHORTS, a[ao + 2 * k]);
            ShortVector q = ShortVector.broadcast(SHORTS, a[ao + 2 * k + 1]);
            ShortVector x0 = ShortVector.fromArray(SHORTS, data, at + k * GROUP);
            ShortVector x1 = ShortVector.fromArray(SHORTS, data, at + k * GROUP + GROUP / 2);
            IntVector s0 = x0.mul(p).add(second(x0).mul(q)).reinterpretAsInts();
            IntVector s1 = x1.mul(p).add(second(x1).mul(q)).reinterpretAsInts();
            // The flipped sign bit makes the low short unsigned, so it borrows nothing from the high one.
            pairs0 = pairs0.add(s0.lanewise(VectorOperators.XOR, 0x8000));
            pairs1 = pairs1.add(s1.lanewise(VectorOperators.XOR, 0x8000));
            highs0 = highs0.add(high(s0));
            highs1 = highs1.add(high(s1));
            if ((k & steps - 1) == steps - 1) {
                int i = (steps == 16 ? k >> 4 : k >> 3) * GROUP;
                toFloat(pairs0.sub(highs0.lanewise(VectorOperators.LSHL, 16)).sub(flipped))
                        .intoArray(sums, i);
                toFloat(highs0).intoArray(sums, i + LANES);
                toFloat(pairs1.sub(highs1.lanewise(VectorOperators.LSHL, 16)).sub(flipped))
                        .intoArray(sums, i + 2 * LANES);
                toFloat(highs1).intoArray(sums, i + 3 * LANES);
                pairs0 = IntVector.zero(Lanes.INTS);
                highs0 = pairs0;
                pairs1 = pairs0;
                highs1 = pairs0;
            }
        }
    }

    /** q1 of {@code q0 + 256 * q1}. */
    private static ShortVector second(ShortVector x) {
        return x.add((short) 128).lanewise(VectorOperators.ASHR, 8);
    }
}
