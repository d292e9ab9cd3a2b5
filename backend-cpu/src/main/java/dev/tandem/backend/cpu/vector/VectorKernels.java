package dev.tandem.backend.cpu.vector;

import static dev.tandem.backend.cpu.vector.Lanes.FLOATS;
import static dev.tandem.backend.cpu.vector.Lanes.LANES;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.backend.cpu.kernel.Scratch;
import dev.tandem.backend.cpu.kernel.WeightData;
import dev.tandem.backend.cpu.kernel.WorkerPool;
import dev.tandem.backend.cpu.scalar.DenseMatrix;
import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.numeric.Functions;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/** Kernels by the Vector API. What does not fill a vector is left to the scalar twin. */
public final class VectorKernels extends ScalarKernels {
    /** The set for this processor's preferred vectors, which the scalar twin stands in for until it is compiled. */
    public static Kernels preferred() {
        return new WarmingKernels(new VectorKernels());
    }

    @Override
    public String name() {
        return "vector " + FLOATS.vectorBitSize() + "-bit";
    }

    @Override
    public Matrix matrix(WeightData weight, boolean integer, WorkerPool pool, Arena arena) {
        return integer
                ? PackedMatrix.pack(weight, pool).orElseGet(() -> super.matrix(weight, true, pool, arena))
                : new DenseMatrix(weight, Dots::dot);
    }

    @Override
    public void quantize(Activations x, int row) {
        Rounding.quantize(x, row);
    }

    @Override
    public void rmsNorm(float[] x, int xo, float @Nullable [] gain, int n, float epsilon, float[] y, int yo) {
        float r = 1f / (float) Math.sqrt(Dots.dot(x, xo, x, xo, n) / n + epsilon);
        if (gain == null) {
            scale(x, xo, r, y, yo, n);
            return;
        }
        for (int i = Elements.scaleAndMultiply(x, xo, r, gain, 0, y, yo, n); i < n; i++) {
            y[yo + i] = x[xo + i] * r * gain[i];
        }
    }

    @Override
    public void l2Norm(float[] x, int xo, int n, float epsilon, float[] y, int yo) {
        float norm = Math.max((float) Math.sqrt(Dots.dot(x, xo, x, xo, n)), epsilon);
        for (int i = Elements.divide(x, xo, norm, y, yo, n); i < n; i++) {
            y[yo + i] = x[xo + i] / norm;
        }
    }

    @Override
    public void add(float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        int done = Elements.add(a, ao, b, bo, y, yo, n);
        super.add(a, ao + done, b, bo + done, y, yo + done, n - done);
    }

    @Override
    public void multiply(float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        int done = Elements.multiply(a, ao, b, bo, y, yo, n);
        super.multiply(a, ao + done, b, bo + done, y, yo + done, n - done);
    }

    @Override
    public void scale(float[] x, int xo, float factor, float[] y, int yo, int n) {
        int done = Elements.scale(x, xo, factor, y, yo, n);
        super.scale(x, xo + done, factor, y, yo + done, n - done);
    }

    @Override
    public void softCap(float[] x, int xo, float cap, float[] y, int yo, int n) {
        int done = Elements.softCap(x, xo, cap, y, yo, n);
        super.softCap(x, xo + done, cap, y, yo + done, n - done);
    }

    @Override
    public void activate(Activation activation, float[] x, int xo, float[] y, int yo, int n) {
        int done = Elements.activate(activation, x, xo, y, yo, n);
        super.activate(activation, x, xo + done, y, yo + done, n - done);
    }

    @Override
    public void gate(Activation activation, float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        int done = switch (activation) {
            case SILU -> Elements.siluGate(a, ao, b, bo, y, yo, n);
            case GELU_TANH -> Elements.geluTanhGate(a, ao, b, bo, y, yo, n);
            case GELU_ERF, SIGMOID -> 0;
        };
        super.gate(activation, a, ao + done, b, bo + done, y, yo + done, n - done);
    }

    @Override
    public void clampedGate(float alpha, float limit, float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        int done = Elements.clampedGate(alpha, limit, a, ao, b, bo, y, yo, n);
        super.clampedGate(alpha, limit, a, ao + done, b, bo + done, y, yo + done, n - done);
    }

    @Override
    public void rope(float[] x, int xo, boolean interleaved, float[] table, int cosAt, int pairs) {
        if (interleaved || pairs % LANES != 0) {
            super.rope(x, xo, interleaved, table, cosAt, pairs);
        } else {
            Elements.ropeHalves(x, xo, table, cosAt, pairs);
        }
    }

    @Override
    public void scores(float[] q, int qo, float[] keys, int ko, int keyDim, int lo, int hi, float[] s, int so) {
        if (hi - lo < LANES) {
            super.scores(q, qo, keys, ko, keyDim, lo, hi, s, so);
            return;
        }
        // The last vector overlaps the one before: the same score twice is the same bits.
        for (int i = lo; i < hi; i += LANES) {
            int at = Math.min(i, hi - LANES);
            AttentionLoops.scores(q, qo, keys, ko + at, keyDim, s, so + at);
        }
    }

    @Override
    public void scoresOfTwo(
            float[] q,
            int first,
            int second,
            float[] keys,
            int ko,
            int keyDim,
            int lo,
            int hi,
            float[] s,
            Scratch scratch) {
        float[] partials = scratch.sums(AttentionLoops.PENDING);
        // A chunk is whole vectors: scores of keys that nobody sees are computed beside the others, and not read.
        for (int i = lo / (2 * LANES) * (2 * LANES); i < hi; i += 2 * LANES) {
            AttentionLoops.partials(q, first, second, keys, ko + i, keyDim, partials);
            AttentionLoops.butterfly(partials, s, i);
        }
    }

    @Override
    public float softmaxWeights(float[] s, int lo, int hi, float maximum) {
        int done = lo + Elements.exp(s, lo, maximum, hi - lo);
        for (int i = done; i < hi; i++) {
            s[i] = Functions.exp(s[i] - maximum);
        }
        float sum = 0f;
        for (int i = lo; i < hi; i++) {
            sum += s[i];
        }
        return sum;
    }

    @Override
    public void weightedSum(float[] w, int lo, int hi, float[] v, int vo, int valueDim, float[] o, int oo) {
        int j = 0;
        for (; j + 4 * LANES <= valueDim; j += 4 * LANES) {
            AttentionLoops.weightedSum4(w, lo, hi, v, vo + j, valueDim, o, oo + j);
        }
        for (; j + LANES <= valueDim; j += LANES) {
            AttentionLoops.weightedSum1(w, lo, hi, v, vo + j, valueDim, o, oo + j);
        }
        for (; j < valueDim; j++) {
            float sum = 0f;
            for (int i = lo; i < hi; i++) {
                sum = Math.fma(w[i], v[vo + i * valueDim + j], sum);
            }
            o[oo + j] = sum;
        }
    }

    @Override
    public void join(float[] o, int oo, float a, float[] p, int po, float b, int n) {
        int done = Elements.join(o, oo, a, p, po, b, n);
        super.join(o, oo + done, a, p, po + done, b, n - done);
    }

    @Override
    public void accumulate(float w, float[] x, int xo, float[] y, int yo, int n) {
        int done = Elements.accumulate(w, x, xo, y, yo, n);
        super.accumulate(w, x, xo + done, y, yo + done, n - done);
    }

    @Override
    public void deltaStep(
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
            int yo) {
        for (int i = 0; i < valueDim; i++) {
            int row = so + i * keyDim;
            scale(s, row, decay, s, row, keyDim);
            float error = (v[vo + i] - Dots.dot(s, row, k, ko, keyDim)) * beta;
            accumulate(error, k, ko, s, row, keyDim);
            if (q != null) {
                y[yo + i] = Dots.dot(s, row, q, qo, keyDim);
            }
        }
    }
}
