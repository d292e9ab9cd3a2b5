package dev.tandem.backend.cpu.vector;

import static dev.tandem.backend.cpu.vector.Lanes.FLOATS;
import static dev.tandem.backend.cpu.vector.Lanes.LANES;

import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.spi.numeric.Sums;
import jdk.incubator.vector.FloatVector;

/** Attention over one chunk: a vector is one element of several keys, or several elements of one value. */
final class AttentionLoops {
    private static final int CHUNK = Kernels.CHUNK;
    private static final int PARTIALS = Sums.PARTIALS;

    private AttentionLoops() {}

    /**
     * Scores of one vector of keys.
     *
     * <p>The butterfly is a tree over the 32 partials. Eight of them, 4 apart, make one of its four subtrees of the third
     * level; the subtrees are taken in the order 0, 2, 1, 3, so that two vectors hold what is pending.
     *
     * @param q query
     * @param qo its first element
     * @param keys element j of key i is at {@code ko + j * CHUNK + i}
     * @param ko element 0 of the first key
     * @param keyDim elements of a key
     * @param s receives the scores
     * @param so the first
     */
    static void scores(float[] q, int qo, float[] keys, int ko, int keyDim, float[] s, int so) {
        FloatVector even = FloatVector.zero(FLOATS);
        FloatVector odd = even;
        for (int step = 0; step < 4; step++) {
            int j = (step & 1) * 2 + (step >> 1);
            FloatVector p0 = FloatVector.zero(FLOATS);
            FloatVector p1 = p0;
            FloatVector p2 = p0;
            FloatVector p3 = p0;
            FloatVector p4 = p0;
            FloatVector p5 = p0;
            FloatVector p6 = p0;
            FloatVector p7 = p0;
            int at = j;
            for (; at + 28 < keyDim; at += PARTIALS) {
                p0 = fma(q, qo, keys, ko, at, p0);
                p1 = fma(q, qo, keys, ko, at + 4, p1);
                p2 = fma(q, qo, keys, ko, at + 8, p2);
                p3 = fma(q, qo, keys, ko, at + 12, p3);
                p4 = fma(q, qo, keys, ko, at + 16, p4);
                p5 = fma(q, qo, keys, ko, at + 20, p5);
                p6 = fma(q, qo, keys, ko, at + 24, p6);
                p7 = fma(q, qo, keys, ko, at + 28, p7);
            }
            if (at < keyDim) {
                p0 = fma(q, qo, keys, ko, at, p0);
                p1 = at + 4 < keyDim ? fma(q, qo, keys, ko, at + 4, p1) : p1;
                p2 = at + 8 < keyDim ? fma(q, qo, keys, ko, at + 8, p2) : p2;
                p3 = at + 12 < keyDim ? fma(q, qo, keys, ko, at + 12, p3) : p3;
                p4 = at + 16 < keyDim ? fma(q, qo, keys, ko, at + 16, p4) : p4;
                p5 = at + 20 < keyDim ? fma(q, qo, keys, ko, at + 20, p5) : p5;
                p6 = at + 24 < keyDim ? fma(q, qo, keys, ko, at + 24, p6) : p6;
            }
            FloatVector tree = p0.add(p4).add(p2.add(p6)).add(p1.add(p5).add(p3.add(p7)));
            even = step == 0 ? tree : step == 1 ? even.add(tree) : even;
            odd = step == 2 ? tree : odd.add(tree);
        }
        even.add(odd).intoArray(s, so);
    }

    private static FloatVector fma(float[] q, int qo, float[] keys, int ko, int j, FloatVector p) {
        return FloatVector.broadcast(FLOATS, q[qo + j]).fma(FloatVector.fromArray(FLOATS, keys, ko + j * CHUNK), p);
    }

    /** Four vectors of the weighted sum of values: o = fma(w[i], v[i], o) in order from +0. */
    static void weightedSum4(float[] w, int lo, int hi, float[] v, int vo, int valueDim, float[] o, int oo) {
        FloatVector o0 = FloatVector.zero(FLOATS);
        FloatVector o1 = o0;
        FloatVector o2 = o0;
        FloatVector o3 = o0;
        for (int i = lo; i < hi; i++) {
            FloatVector wi = FloatVector.broadcast(FLOATS, w[i]);
            int at = vo + i * valueDim;
            o0 = wi.fma(FloatVector.fromArray(FLOATS, v, at), o0);
            o1 = wi.fma(FloatVector.fromArray(FLOATS, v, at + LANES), o1);
            o2 = wi.fma(FloatVector.fromArray(FLOATS, v, at + 2 * LANES), o2);
            o3 = wi.fma(FloatVector.fromArray(FLOATS, v, at + 3 * LANES), o3);
        }
        o0.intoArray(o, oo);
        o1.intoArray(o, oo + LANES);
        o2.intoArray(o, oo + 2 * LANES);
        o3.intoArray(o, oo + 3 * LANES);
    }

    /** One vector of the weighted sum of values. */
    static void weightedSum1(float[] w, int lo, int hi, float[] v, int vo, int valueDim, float[] o, int oo) {
        FloatVector sum = FloatVector.zero(FLOATS);
        for (int i = lo; i < hi; i++) {
            FloatVector value = FloatVector.fromArray(FLOATS, v, vo + i * valueDim);
            sum = FloatVector.broadcast(FLOATS, w[i]).fma(value, sum);
        }
        sum.intoArray(o, oo);
    }
}
