package dev.tandem.backend.cpu.vector;

import static dev.tandem.backend.cpu.vector.Lanes.FLOATS;
import static dev.tandem.backend.cpu.vector.Lanes.LANES;

import dev.tandem.spi.numeric.Sums;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;

/** The f32 rule of N2: the 32 partials are 8, 4 or 2 vectors, and the butterfly adds vectors, then lanes. */
final class Dots {
    private static final VectorShuffle<Float> BY_8 = FLOATS.iotaShuffle(8, 1, true);
    private static final VectorShuffle<Float> BY_4 = FLOATS.iotaShuffle(4, 1, true);
    private static final VectorShuffle<Float> BY_2 = FLOATS.iotaShuffle(2, 1, true);
    private static final VectorShuffle<Float> BY_1 = FLOATS.iotaShuffle(1, 1, true);

    private Dots() {}

    /** N2(a, b) over n elements. */
    static float dot(float[] a, int ao, float[] b, int bo, int n) {
        FloatVector p0 = FloatVector.zero(FLOATS);
        FloatVector p1 = p0;
        FloatVector p2 = p0;
        FloatVector p3 = p0;
        FloatVector p4 = p0;
        FloatVector p5 = p0;
        FloatVector p6 = p0;
        FloatVector p7 = p0;
        int whole = n - n % Sums.PARTIALS;
        for (int i = 0; i < whole; i += Sums.PARTIALS) {
            p0 = fma(a, ao + i, b, bo + i, p0);
            p1 = fma(a, ao + i + LANES, b, bo + i + LANES, p1);
            if (LANES <= 8) {
                p2 = fma(a, ao + i + 2 * LANES, b, bo + i + 2 * LANES, p2);
                p3 = fma(a, ao + i + 3 * LANES, b, bo + i + 3 * LANES, p3);
            }
            if (LANES == 4) {
                p4 = fma(a, ao + i + 4 * LANES, b, bo + i + 4 * LANES, p4);
                p5 = fma(a, ao + i + 5 * LANES, b, bo + i + 5 * LANES, p5);
                p6 = fma(a, ao + i + 6 * LANES, b, bo + i + 6 * LANES, p6);
                p7 = fma(a, ao + i + 7 * LANES, b, bo + i + 7 * LANES, p7);
            }
        }
        if (whole < n) {
            p0 = tail(a, ao, b, bo, whole, n, p0);
            p1 = tail(a, ao, b, bo, whole + LANES, n, p1);
            p2 = tail(a, ao, b, bo, whole + 2 * LANES, n, p2);
            p3 = tail(a, ao, b, bo, whole + 3 * LANES, n, p3);
            p4 = tail(a, ao, b, bo, whole + 4 * LANES, n, p4);
            p5 = tail(a, ao, b, bo, whole + 5 * LANES, n, p5);
            p6 = tail(a, ao, b, bo, whole + 6 * LANES, n, p6);
            p7 = tail(a, ao, b, bo, whole + 7 * LANES, n, p7);
        }
        if (LANES == 4) {
            p0 = p0.add(p4);
            p1 = p1.add(p5);
            p2 = p2.add(p6);
            p3 = p3.add(p7);
        }
        if (LANES <= 8) {
            p0 = p0.add(p2);
            p1 = p1.add(p3);
        }
        return fold(p0.add(p1));
    }

    private static FloatVector fma(float[] a, int ao, float[] b, int bo, FloatVector p) {
        return FloatVector.fromArray(FLOATS, a, ao).fma(FloatVector.fromArray(FLOATS, b, bo), p);
    }

    /** The partials of the last elements, from i on; absent ones do nothing. */
    private static FloatVector tail(float[] a, int ao, float[] b, int bo, int i, int n, FloatVector p) {
        if (i >= n) {
            return p;
        }
        VectorMask<Float> there = FLOATS.indexInRange(i, n);
        FloatVector x = FloatVector.fromArray(FLOATS, a, ao + i, there);
        return p.blend(x.fma(FloatVector.fromArray(FLOATS, b, bo + i, there), p), there);
    }

    /** The butterfly's steps within a vector. */
    private static float fold(FloatVector p) {
        FloatVector sum = p;
        if (LANES == 16) {
            sum = sum.add(sum.rearrange(BY_8));
        }
        if (LANES >= 8) {
            sum = sum.add(sum.rearrange(BY_4));
        }
        sum = sum.add(sum.rearrange(BY_2));
        return sum.add(sum.rearrange(BY_1)).lane(0);
    }
}
