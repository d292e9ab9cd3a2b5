package dev.tandem.backend.cpu.scalar;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.backend.cpu.kernel.Scratch;
import dev.tandem.backend.cpu.kernel.WeightData;
import dev.tandem.backend.cpu.kernel.WorkerPool;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.numeric.Functions;
import dev.tandem.spi.numeric.Sums;
import java.lang.foreign.Arena;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The reference: one plain loop per op. */
public class ScalarKernels implements Kernels {
    @Override
    public String name() {
        return "scalar";
    }

    @Override
    public Matrix matrix(WeightData weight, boolean integer, WorkerPool pool, Arena arena) {
        return integer ? new IntegerMatrix(weight) : new DenseMatrix(weight, Sums::dot);
    }

    @Override
    public void quantize(Activations x, int row) {
        x.quantize(row);
    }

    @Override
    public void rmsNorm(float[] x, int xo, float @Nullable [] gain, int n, float epsilon, float[] y, int yo) {
        float r = 1f / (float) Math.sqrt(Sums.sumOfSquares(x, xo, n) / n + epsilon);
        for (int i = 0; i < n; i++) {
            float scaled = x[xo + i] * r;
            y[yo + i] = gain == null ? scaled : scaled * gain[i];
        }
    }

    @Override
    public void l2Norm(float[] x, int xo, int n, float epsilon, float[] y, int yo) {
        float norm = Math.max((float) Math.sqrt(Sums.sumOfSquares(x, xo, n)), epsilon);
        for (int i = 0; i < n; i++) {
            y[yo + i] = x[xo + i] / norm;
        }
    }

    @Override
    public void layerNorm(
            float[] x, int xo, float[] gain, float @Nullable [] bias, int n, float epsilon, float[] y, int yo) {
        float mean = Sums.sum(x, xo, n) / n;
        for (int i = 0; i < n; i++) {
            y[yo + i] = x[xo + i] - mean;
        }
        float r = 1f / (float) Math.sqrt(Sums.sumOfSquares(y, yo, n) / n + epsilon);
        for (int i = 0; i < n; i++) {
            float scaled = y[yo + i] * r;
            y[yo + i] = bias == null ? scaled * gain[i] : Math.fma(scaled, gain[i], bias[i]);
        }
    }

    @Override
    public void add(float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        for (int i = 0; i < n; i++) {
            y[yo + i] = a[ao + i] + b[bo + i];
        }
    }

    @Override
    public void multiply(float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        for (int i = 0; i < n; i++) {
            y[yo + i] = a[ao + i] * b[bo + i];
        }
    }

    @Override
    public void scale(float[] x, int xo, float factor, float[] y, int yo, int n) {
        for (int i = 0; i < n; i++) {
            y[yo + i] = x[xo + i] * factor;
        }
    }

    @Override
    public void softCap(float[] x, int xo, float cap, float[] y, int yo, int n) {
        for (int i = 0; i < n; i++) {
            y[yo + i] = Functions.tanh(x[xo + i] / cap) * cap;
        }
    }

    @Override
    public void activate(Activation activation, float[] x, int xo, float[] y, int yo, int n) {
        for (int i = 0; i < n; i++) {
            y[yo + i] = activate(activation, x[xo + i]);
        }
    }

    @Override
    public void gate(Activation activation, float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        for (int i = 0; i < n; i++) {
            y[yo + i] = activate(activation, a[ao + i]) * b[bo + i];
        }
    }

    private static float activate(Activation activation, float x) {
        return switch (activation) {
            case SILU -> Functions.silu(x);
            case GELU_TANH -> Functions.geluTanh(x);
            case GELU_ERF -> Functions.geluErf(x);
            case SIGMOID -> Functions.sigmoid(x);
        };
    }

    @Override
    public void clampedGate(float alpha, float limit, float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        for (int i = 0; i < n; i++) {
            float g = Math.min(a[ao + i], limit);
            float u = Math.max(-limit, Math.min(b[bo + i], limit));
            y[yo + i] = (g * Functions.sigmoid(alpha * g)) * (u + 1f);
        }
    }

    @Override
    public void rope(float[] x, int xo, boolean interleaved, float[] table, int cosAt, int pairs) {
        for (int i = 0; i < pairs; i++) {
            int first = interleaved ? xo + 2 * i : xo + i;
            int second = interleaved ? first + 1 : first + pairs;
            float cos = table[cosAt + i];
            float sin = table[cosAt + pairs + i];
            float x0 = x[first];
            float x1 = x[second];
            x[first] = Math.fma(x0, cos, -(x1 * sin));
            x[second] = Math.fma(x1, cos, x0 * sin);
        }
    }

    @Override
    public void scores(float[] q, int qo, float[] keys, int ko, int keyDim, int lo, int hi, float[] s, int so) {
        float[] partials = new float[32];
        for (int i = lo; i < hi; i++) {
            Arrays.fill(partials, 0f);
            for (int j = 0; j < keyDim; j++) {
                partials[j % 32] = Math.fma(q[qo + j], keys[ko + j * CHUNK + i], partials[j % 32]);
            }
            s[so + i] = Sums.butterfly(partials);
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
        scores(q, first, keys, ko, keyDim, lo, hi, s, 0);
        scores(q, second, keys, ko, keyDim, lo, hi, s, CHUNK);
    }

    @Override
    public float softmaxWeights(float[] s, int lo, int hi, float maximum) {
        float sum = 0f;
        for (int i = lo; i < hi; i++) {
            s[i] = Functions.exp(s[i] - maximum);
            sum += s[i];
        }
        return sum;
    }

    @Override
    public void weightedSum(float[] w, int lo, int hi, float[] v, int vo, int valueDim, float[] o, int oo) {
        for (int j = 0; j < valueDim; j++) {
            o[oo + j] = 0f;
        }
        for (int i = lo; i < hi; i++) {
            accumulate(w[i], v, vo + i * valueDim, o, oo, valueDim);
        }
    }

    @Override
    public void join(float[] o, int oo, float a, float[] p, int po, float b, int n) {
        for (int j = 0; j < n; j++) {
            o[oo + j] = Math.fma(o[oo + j], a, p[po + j] * b);
        }
    }

    @Override
    public void accumulate(float w, float[] x, int xo, float[] y, int yo, int n) {
        for (int j = 0; j < n; j++) {
            y[yo + j] = Math.fma(w, x[xo + j], y[yo + j]);
        }
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
            for (int j = 0; j < keyDim; j++) {
                s[row + j] *= decay;
            }
            float error = (v[vo + i] - Sums.dot(s, row, k, ko, keyDim)) * beta;
            accumulate(error, k, ko, s, row, keyDim);
            if (q != null) {
                y[yo + i] = Sums.dot(s, row, q, qo, keyDim);
            }
        }
    }
}
