package dev.tandem.backend.cpu.vector;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.backend.cpu.kernel.Scratch;
import dev.tandem.backend.cpu.kernel.WeightData;
import dev.tandem.backend.cpu.kernel.WorkerPool;
import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.model.DType;
import java.lang.foreign.Arena;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The vector twin for use: until its kernels are compiled, and a matrix is packed, the scalar twin stands in, which nobody
 * can see but by the clock. Large matrices are packed at once, by all workers; small ones beside the first tokens.
 */
final class WarmingKernels implements Kernels {
    /** Elements from which packing is worth a wait. */
    private static final long LARGE = 1L << 24;

    private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

    private static final System.Logger LOG = System.getLogger(WarmingKernels.class.getName());

    private final Kernels vector;
    private final Kernels scalar = new ScalarKernels();
    private final WarmUp warmUp = new WarmUp(LONGEST_WAIT_NANOS);
    private final Set<DType> warmed = EnumSet.noneOf(DType.class);
    private volatile boolean elementsQueued;
    private volatile boolean elementsWarm;

    WarmingKernels(Kernels vector) {
        this.vector = vector;
    }

    @Override
    public String name() {
        return vector.name();
    }

    @Override
    public void stepDone() {
        if (!elementsQueued) {
            queueElements();
            warmUp.start();
        }
    }

    /** After the matrices, which are nearly all of the work. */
    private synchronized void queueElements() {
        if (!elementsQueued) {
            warmUp.warm(() -> WarmUpWork.elements(vector), () -> WarmUpWork.elements(scalar));
            warmUp.then(() -> elementsWarm = true);
            elementsQueued = true;
        }
    }

    @Override
    public Matrix matrix(WeightData weight, boolean integer, WorkerPool pool, Arena arena) {
        if (!integer) {
            return vector.matrix(weight, false, pool, arena);
        }
        queueType(weight.type());
        WarmingMatrix matrix = new WarmingMatrix(scalar.matrix(weight, true, pool, arena), PackedMatrix.bytes(weight));
        if ((long) weight.rows() * weight.columns() >= LARGE) {
            Matrix packed = vector.matrix(weight, true, pool, arena);
            warmUp.then(() -> matrix.become(packed));
        } else {
            warmUp.then(() -> pack(weight, matrix, arena));
        }
        return matrix;
    }

    private synchronized void queueType(DType type) {
        if (warmed.add(type)) {
            warmUp.warm(() -> WarmUpWork.matrix(vector, type), () -> WarmUpWork.matrix(scalar, type));
        }
    }

    private void pack(WeightData weight, WarmingMatrix matrix, Arena arena) {
        if (!arena.scope().isAlive()) {
            return; // the weights were closed meanwhile
        }
        try (WorkerPool alone = new WorkerPool(1)) {
            matrix.become(vector.matrix(weight, true, alone, arena));
        } catch (IllegalStateException | InternalError e) {
            // The file was closed or cut short meanwhile; whoever multiplies next meets it and says so.
            LOG.log(System.Logger.Level.DEBUG, "a matrix was not packed", e);
        } catch (OutOfMemoryError e) {
            LOG.log(System.Logger.Level.WARNING, "no memory to pack a matrix: it stays with the scalar kernels", e);
        }
    }

    private Kernels now() {
        return elementsWarm ? vector : scalar;
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
    public void scores(float[] q, int qo, float[] keys, int ko, int keyDim, int lo, int hi, float[] s, int so) {
        now().scores(q, qo, keys, ko, keyDim, lo, hi, s, so);
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
        now().scoresOfTwo(q, first, second, keys, ko, keyDim, lo, hi, s, scratch);
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
