package dev.tandem.backend.cpu.kernel;

import dev.tandem.spi.graph.Activation;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * One kernel set. All arrays are row-major; {@code xo} is the index of the first element of x, and so on. Every method
 * keeps the numeric contract, so two kernel sets give the same bits. Methods are safe for use by several workers.
 */
public interface Kernels {
    /** Logical positions that attention handles together (N5). */
    int CHUNK = 128;

    /** Name of the set, as {@code doctor} shows it. */
    String name();

    /**
     * Prepares a matrix.
     *
     * @param weight the rows
     * @param integer whether to multiply by integer dots; only for types that have them
     * @param pool for packing
     * @param arena holds packed weights
     */
    Matrix matrix(WeightData weight, boolean integer, WorkerPool pool, Arena arena);

    /** A step is done: the moment for work that must not delay the first one. The default does nothing. */
    default void stepDone() {}

    /** Computes the int8 form of one row of activations. */
    void quantize(Activations x, int row);

    /** y = x normalised by its root mean square, times the gain where there is one; y may be x. */
    void rmsNorm(float[] x, int xo, float @Nullable [] gain, int n, float epsilon, float[] y, int yo);

    /** y = x / max(norm(x), epsilon); y may be x. */
    void l2Norm(float[] x, int xo, int n, float epsilon, float[] y, int yo);

    /** y = layer norm of x; y may be x. */
    void layerNorm(float[] x, int xo, float[] gain, float @Nullable [] bias, int n, float epsilon, float[] y, int yo);

    /** y = a + b; y may be either. */
    void add(float[] a, int ao, float[] b, int bo, float[] y, int yo, int n);

    /** y = a * b; y may be either. */
    void multiply(float[] a, int ao, float[] b, int bo, float[] y, int yo, int n);

    /** y = x * factor; y may be x. */
    void scale(float[] x, int xo, float factor, float[] y, int yo, int n);

    /** y = tanh(x / cap) * cap; y may be x. */
    void softCap(float[] x, int xo, float cap, float[] y, int yo, int n);

    /** y = activation(x); y may be x. */
    void activate(Activation activation, float[] x, int xo, float[] y, int yo, int n);

    /** y = activation(a) * b; y may be either. */
    void gate(Activation activation, float[] a, int ao, float[] b, int bo, float[] y, int yo, int n);

    /** The clamped gated unit; y may be either input. */
    void clampedGate(float alpha, float limit, float[] a, int ao, float[] b, int bo, float[] y, int yo, int n);

    /**
     * Rotates the pairs of one head in place by the contract's two fma.
     *
     * @param x holds the head
     * @param xo index of the first rotated element
     * @param interleaved whether pairs are neighbours; else halves
     * @param table cosines from {@code cosAt}, sines from {@code cosAt + pairs}
     * @param cosAt index of the first cosine
     * @param pairs number of pairs
     */
    void rope(float[] x, int xo, boolean interleaved, float[] table, int cosAt, int pairs);

    /**
     * s[so + i] = N2(q, key i) for {@code lo <= i < hi}; element j of key i is at {@code keys[ko + j * CHUNK + i]}.
     *
     * @param keyDim elements of a key
     */
    void scores(float[] q, int qo, float[] keys, int ko, int keyDim, int lo, int hi, float[] s, int so);

    /**
     * {@link #scores} of two queries with the same keys: those of the second go to {@code s[CHUNK + i]}. What stands in s
     * elsewhere may change.
     *
     * @param first index of the first query's first element
     * @param second index of the second query's first element
     */
    void scoresOfTwo(
            float[] q,
            int first,
            int second,
            float[] keys,
            int ko,
            int keyDim,
            int lo,
            int hi,
            float[] s,
            Scratch scratch);

    /** s[i] = exp(s[i] - maximum) for {@code lo <= i < hi}; returns the sum in order of i from +0. */
    float softmaxWeights(float[] s, int lo, int hi, float maximum);

    /** o[j] = fma(w[i], v[i][j], o[j]) in order of i from o = +0; value i starts at {@code vo + i * valueDim}. */
    void weightedSum(float[] w, int lo, int hi, float[] v, int vo, int valueDim, float[] o, int oo);

    /** o[j] = fma(o[j], a, p[j] * b): joins two chunks. */
    void join(float[] o, int oo, float a, float[] p, int po, float b, int n);

    /** y[j] = fma(w, x[j], y[j]). */
    void accumulate(float w, float[] x, int xo, float[] y, int yo, int n);

    /**
     * One step of the gated delta rule on one head's matrix S of {@code valueDim} rows and {@code keyDim} columns.
     *
     * @param s the matrix
     * @param so index of its first element
     * @param q query, or null to update only
     * @param y receives S q
     */
    void deltaStep(
            float[] s,
            int so,
            float[] k,
            int ko,
            float[] v,
            int vo,
            float decay,
            float beta,
            int keyDim,
            int valueDim,
            float @Nullable [] q,
            int qo,
            float[] y,
            int yo);
}
