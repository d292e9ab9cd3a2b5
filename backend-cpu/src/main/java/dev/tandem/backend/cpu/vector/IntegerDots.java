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
     * Sums of nibbles. With {@link Layout#NIBBLE_ZERO} taken off, 32 products are at most 32 * 8 * 127 = 32,512.
     *
     * @param data holds the quants
     * @param at first of them
     * @param count sums per row
     * @param steps of four columns in a sum: 8, or 4 for half blocks
     * @param a activations as quads
     * @param ao first of them
     * @param activationSums sum of the activations of each sum
     * @param so first of them
     * @param zeroBack what the quants' zero is above -{@link Layout#NIBBLE_ZERO}
     * @param sums receives {@code count} groups
     */
    static void nibbles(
            short[] data,
            int at,
            int count,
            int steps,
            short[] a,
            int ao,
            int[] activationSums,
            int so,
            int zeroBack,
            float[] sums) {
        for (int i = 0; i < count; i++) {
            int from = at + i * steps * GROUP;
            int af = ao + i * steps * 4;
            ShortVector c0 = ShortVector.zero(SHORTS);
            ShortVector c1 = c0;
            for (int k = 0; k < steps; k++) {
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
            int sum = activationSums[so + i];
            ShortVector zero = ShortVector.broadcast(SHORTS, (short) (Layout.NIBBLE_ZERO * sum));
            IntVector back = IntVector.broadcast(Lanes.INTS, zeroBack * sum);
            IntVector i0 = c0.sub(zero).reinterpretAsInts();
            IntVector i1 = c1.sub(zero).reinterpretAsInts();
            toFloat(low(i0).add(back)).intoArray(sums, i * GROUP);
            toFloat(high(i0).add(back)).intoArray(sums, i * GROUP + LANES);
            toFloat(low(i1).add(back)).intoArray(sums, i * GROUP + 2 * LANES);
            toFloat(high(i1).add(back)).intoArray(sums, i * GROUP + 3 * LANES);
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
        for (int i = 0; i < count; i++) {
            int from = at + i * steps * GROUP;
            int af = ao + i * steps * 2;
            IntVector pairs0 = IntVector.zero(Lanes.INTS);
            IntVector highs0 = pairs0;
            IntVector pairs1 = pairs0;
            IntVector highs1 = pairs0;
            for (int k = 0; k < steps; k++) {
                ShortVector p = ShortVector.broadcast(SHORTS, a[af + 2 * k]);
                ShortVector q = ShortVector.broadcast(SHORTS, a[af + 2 * k + 1]);
                ShortVector x0 = ShortVector.fromArray(SHORTS, data, from + k * GROUP);
                ShortVector x1 = ShortVector.fromArray(SHORTS, data, from + k * GROUP + GROUP / 2);
                IntVector s0 = x0.mul(p).add(second(x0).mul(q)).reinterpretAsInts();
                IntVector s1 = x1.mul(p).add(second(x1).mul(q)).reinterpretAsInts();
                // The flipped sign bit makes the low short unsigned, so it borrows nothing from the high one.
                pairs0 = pairs0.add(s0.lanewise(VectorOperators.XOR, 0x8000));
                pairs1 = pairs1.add(s1.lanewise(VectorOperators.XOR, 0x8000));
                highs0 = highs0.add(high(s0));
                highs1 = highs1.add(high(s1));
            }
            int flipped = steps * 0x8000;
            toFloat(pairs0.sub(highs0.lanewise(VectorOperators.LSHL, 16)).sub(flipped))
                    .intoArray(sums, i * GROUP);
            toFloat(highs0).intoArray(sums, i * GROUP + LANES);
            toFloat(pairs1.sub(highs1.lanewise(VectorOperators.LSHL, 16)).sub(flipped))
                    .intoArray(sums, i * GROUP + 2 * LANES);
            toFloat(highs1).intoArray(sums, i * GROUP + 3 * LANES);
        }
    }

    /** q1 of {@code q0 + 256 * q1}. */
    private static ShortVector second(ShortVector x) {
        return x.add((short) 128).lanewise(VectorOperators.ASHR, 8);
    }
}
