package dev.tandem.backend.cpu.vector;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.backend.cpu.kernel.WeightData;
import dev.tandem.backend.cpu.kernel.WorkerPool;
import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.model.DType;
import java.lang.foreign.Arena;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The vector twin for use: until its kernels are compiled the scalar twin stands in, which nobody can see but by the
 * clock. Warming up starts with the first matrix.
 */
final class WarmingKernels implements Kernels {
    private final Kernels vector;
    private final Kernels scalar = new ScalarKernels();
    private final WarmUp warmUp = new WarmUp();
    private final Map<DType, WarmUp.Gate> matrices = new EnumMap<>(DType.class);
    private volatile WarmUp.@Nullable Gate elements;

    WarmingKernels(Kernels vector) {
        this.vector = vector;
    }

    @Override
    public String name() {
        return vector.name();
    }

    @Override
    public Matrix matrix(WeightData weight, boolean integer, WorkerPool pool, Arena arena) {
        WarmUp.Gate gate = integer ? gate(weight.type()) : elements();
        return new WarmingMatrix(
                gate, vector.matrix(weight, integer, pool, arena), scalar.matrix(weight, integer, pool, arena));
    }

    private synchronized WarmUp.Gate gate(DType type) {
        WarmUp.Gate gate = matrices.computeIfAbsent(
                type, t -> warmUp.queue(WarmUpWork.matrix(vector, t), WarmUpWork.matrix(scalar, t)));
        elements();
        return gate;
    }

    private synchronized WarmUp.Gate elements() {
        WarmUp.Gate gate = elements;
        if (gate == null) {
            gate = warmUp.queue(WarmUpWork.elements(vector), WarmUpWork.elements(scalar));
            elements = gate;
        }
        return gate;
    }

    private Kernels now() {
        WarmUp.Gate gate = elements;
        return gate != null && gate.open() ? vector : scalar;
    }

    @Override
    public void quantize(Activations x, int row) {
        now().quantize(x, row);
    }

    @Override
    public void rmsNorm(float[] x, int xo, float @Nullable [] gain, int n, float epsilon, float[] y, int yo) {
        now().rmsNorm(x, xo, gain, n, epsilon, y, yo);
    }

    @Override
    public void l2Norm(float[] x, int xo, int n, float epsilon, float[] y, int yo) {
        now().l2Norm(x, xo, n, epsilon, y, yo);
    }

    @Override
    public void layerNorm(
            float[] x, int xo, float[] gain, float @Nullable [] bias, int n, float epsilon, float[] y, int yo) {
        now().layerNorm(x, xo, gain, bias, n, epsilon, y, yo);
    }

    @Override
    public void add(float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        now().add(a, ao, b, bo, y, yo, n);
    }

    @Override
    public void multiply(float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        now().multiply(a, ao, b, bo, y, yo, n);
    }

    @Override
    public void scale(float[] x, int xo, float factor, float[] y, int yo, int n) {
        now().scale(x, xo, factor, y, yo, n);
    }

    @Override
    public void softCap(float[] x, int xo, float cap, float[] y, int yo, int n) {
        now().softCap(x, xo, cap, y, yo, n);
    }

    @Override
    public void activate(Activation activation, float[] x, int xo, float[] y, int yo, int n) {
        now().activate(activation, x, xo, y, yo, n);
    }

    @Override
    public void gate(Activation activation, float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        now().gate(activation, a, ao, b, bo, y, yo, n);
    }

    @Override
    public void clampedGate(float alpha, float limit, float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        now().clampedGate(alpha, limit, a, ao, b, bo, y, yo, n);
    }

    @Override
    public void rope(float[] x, int xo, boolean interleaved, float[] table, int cosAt, int pairs) {
        now().rope(x, xo, interleaved, table, cosAt, pairs);
    }

    @Override
    public void scores(float[] q, int qo, float[] keys, int ko, int keyDim, int lo, int hi, float[] s) {
        now().scores(q, qo, keys, ko, keyDim, lo, hi, s);
    }

    @Override
    public float softmaxWeights(float[] s, int lo, int hi, float maximum) {
        return now().softmaxWeights(s, lo, hi, maximum);
    }

    @Override
    public void weightedSum(float[] w, int lo, int hi, float[] v, int vo, int valueDim, float[] o, int oo) {
        now().weightedSum(w, lo, hi, v, vo, valueDim, o, oo);
    }

    @Override
    public void join(float[] o, int oo, float a, float[] p, int po, float b, int n) {
        now().join(o, oo, a, p, po, b, n);
    }

    @Override
    public void accumulate(float w, float[] x, int xo, float[] y, int yo, int n) {
        now().accumulate(w, x, xo, y, yo, n);
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
        now().deltaStep(s, so, k, ko, v, vo, decay, beta, keyDim, valueDim, q, qo, y, yo);
    }
}
