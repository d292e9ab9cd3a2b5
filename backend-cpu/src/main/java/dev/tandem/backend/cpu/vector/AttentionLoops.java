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

    /** Partials left after the first step of the butterfly. */
    private static final int FOLD = PARTIALS / 2;

    /** Floats that {@link #partials} writes. */
    static final int PENDING = 4 * FOLD * LANES;

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

    /**
     * Partials of the scores of two queries with two vectors of keys, folded once: pair (j, j + 16) of each goes to
     * {@code partials[(4 * j + i) * LANES]}, i = 0 and 1 for the first query, 2 and 3 for the second. Each key that is
     * loaded serves both queries, each element of a query both vectors, so that fma and not loads limit the loop.
     *
     * @param q queries
     * @param q0 first element of one
     * @param q1 first element of the other
     * @param keys element j of key i is at {@code ko + j * CHUNK + i}
     * @param ko element 0 of the first key
     * @param keyDim elements of a key
     * @param partials receives {@link #PENDING} floats
     */
    static void partials(float[] q, int q0, int q1, float[] keys, int ko, int keyDim, float[] partials) {
        for (int j = 0; j < FOLD; j++) {
            FloatVector a00 = FloatVector.zero(FLOATS);
            FloatVector a01 = a00;
            FloatVector a10 = a00;
            FloatVector a11 = a00;
            FloatVector b00 = a00;
            FloatVector b01 = a00;
            FloatVector b10 = a00;
            FloatVector b11 = a00;
            int at = j;
            for (; at + FOLD < keyDim; at += PARTIALS) {
                FloatVector k0 = FloatVector.fromArray(FLOATS, keys, ko + at * CHUNK);
                FloatVector k1 = FloatVector.fromArray(FLOATS, keys, ko + at * CHUNK + LANES);
                FloatVector x0 = FloatVector.broadcast(FLOATS, q[q0 + at]);
                FloatVector x1 = FloatVector.broadcast(FLOATS, q[q1 + at]);
                a00 = x0.fma(k0, a00);
                a01 = x0.fma(k1, a01);
                a10 = x1.fma(k0, a10);
                a11 = x1.fma(k1, a11);
                k0 = FloatVector.fromArray(FLOATS, keys, ko + (at + FOLD) * CHUNK);
                k1 = FloatVector.fromArray(FLOATS, keys, ko + (at + FOLD) * CHUNK + LANES);
                x0 = FloatVector.broadcast(FLOATS, q[q0 + at + FOLD]);
                x1 = FloatVector.broadcast(FLOATS, q[q1 + at + FOLD]);
                b00 = x0.fma(k0, b00);
                b01 = x0.fma(k1, b01);
                b10 = x1.fma(k0, b10);
                b11 = x1.fma(k1, b11);
            }
            if (at < keyDim) {
                FloatVector k0 = FloatVector.fromArray(FLOATS, keys, ko + at * CHUNK);
                FloatVector k1 = FloatVector.fromArray(FLOATS, keys, ko + at * CHUNK + LANES);
                FloatVector x0 = FloatVector.broadcast(FLOATS, q[q0 + at]);
                FloatVector x1 = FloatVector.broadcast(FLOATS, q[q1 + at]);
                a00 = x0.fma(k0, a00);
                a01 = x0.fma(k1, a01);
                a10 = x1.fma(k0, a10);
                a11 = x1.fma(k1, a11);
            }
            int to = 4 * j * LANES;
            a00.add(b00).intoArray(partials, to);
            a01.add(b01).intoArray(partials, to + LANES);
            a10.add(b10).intoArray(partials, to + 2 * LANES);
            a11.add(b11).intoArray(partials, to + 3 * LANES);
        }
    }

    /**
     * The rest of the butterfly over folded partials.
     *
     * @param partials of {@link #partials}
     * @param s receives the first query's scores at {@code so}, the second's at {@code so + CHUNK}
     * @param so the first
     */
    static void butterfly(float[] partials, float[] s, int so) {
        for (int i = 0; i < 4; i++) {
            int at = i * LANES;
            FloatVector p0 = folded(partials, at, 0).add(folded(partials, at, 4));
            FloatVector p2 = folded(partials, at, 2).add(folded(partials, at, 6));
            FloatVector p1 = folded(partials, at, 1).add(folded(partials, at, 5));
            FloatVector p3 = folded(partials, at, 3).add(folded(partials, at, 7));
            p0.add(p2).add(p1.add(p3)).intoArray(s, so + (i >> 1) * CHUNK + (i & 1) * LANES);
        }
    }

    private static FloatVector folded(float[] partials, int at, int j) {
        return FloatVector.fromArray(FLOATS, partials, at + 4 * j * LANES)
                .add(FloatVector.fromArray(FLOATS, partials, at + 4 * (j + 8) * LANES));
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
