package dev.tandem.backend.cpu.vector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.backend.cpu.kernel.Scratch;
import dev.tandem.backend.cpu.kernel.WeightData;
import dev.tandem.backend.cpu.kernel.WorkerPool;
import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.spi.model.DType;
import java.lang.foreign.Arena;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

final class WarmUpTests {
    private static final long SEED = 73;

    @Test
    void doesWhatWaitedOnceVectorsAreFaster() throws InterruptedException {
        WarmUp warmUp = new WarmUp(0);
        CountDownLatch end = new CountDownLatch(1);
        warmUp.warm(() -> () -> {}, () -> WarmUpTests::sleep);
        warmUp.then(end::countDown);
        assertTrue(end.await(20, TimeUnit.SECONDS));
    }

    @Test
    void keepsWaitingWhileVectorsAreSlower() throws InterruptedException {
        WarmUp warmUp = new WarmUp(0);
        CountDownLatch tried = new CountDownLatch(20);
        AtomicBoolean fast = new AtomicBoolean();
        CountDownLatch end = new CountDownLatch(1);
        warmUp.warm(
                () -> () -> {
                    if (!fast.get()) {
                        sleep();
                    }
                    tried.countDown();
                },
                () -> () -> {
                    if (fast.get()) {
                        sleep();
                    }
                });
        warmUp.then(end::countDown);
        tried.await();
        assertEquals(1, end.getCount());
        fast.set(true);
        WarmUp other = new WarmUp(0);
        CountDownLatch ready = new CountDownLatch(1);
        other.warm(() -> () -> {}, () -> WarmUpTests::sleep);
        other.then(ready::countDown);
        assertTrue(ready.await(20, TimeUnit.SECONDS), "one queue does not hold up another");
    }

    @Test
    void waitsForTheFirstStep() throws InterruptedException {
        WarmUp warmUp = new WarmUp(Long.MAX_VALUE);
        CountDownLatch end = new CountDownLatch(1);
        warmUp.then(end::countDown);
        sleep();
        assertEquals(1, end.getCount());
        warmUp.start();
        assertTrue(end.await(20, TimeUnit.SECONDS));
    }

    @Test
    void hasTheScalarBitsFromTheFirstCallOn() {
        Random random = new Random(SEED);
        Kernels kernels = VectorKernels.preferred();
        Kernels scalar = new ScalarKernels();
        WeightData weight = Samples.weight(DType.Q4_K, 65, 512, random);
        try (WorkerPool pool = new WorkerPool(1)) {
            Matrix matrix = kernels.matrix(weight, true, pool, Arena.global());
            Matrix reference = scalar.matrix(weight, true, pool, Arena.global());
            kernels.stepDone();
            for (int call = 0; call < 3_000; call++) {
                float[] x = Samples.values(512, random);
                float[] expected = product(scalar, reference, x);
                Samples.assertSameBits(expected, product(kernels, matrix, x), "call " + call);
            }
        }
    }

    @Test
    void namesTheSetThatWillRun() {
        assertEquals(new VectorKernels().name(), VectorKernels.preferred().name());
    }

    private static float[] product(Kernels kernels, Matrix matrix, float[] row) {
        Activations x = new Activations(512);
        x.of(row);
        x.reserve(1);
        kernels.quantize(x, 0);
        float[] y = new float[matrix.rows()];
        matrix.multiply(x, 0, 1, y, 0, matrix.rows(), 0, matrix.rows(), new Scratch());
        return y;
    }

    private static void sleep() {
        LockSupport.parkNanos(2_000_000);
    }
}
