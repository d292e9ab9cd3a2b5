package dev.tandem.backend.cpu.vector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

final class WarmUpTests {
    private static final long SEED = 73;

    @Test
    void opensAGateOnceVectorsAreFaster() throws InterruptedException {
        WarmUp warmUp = new WarmUp();
        CountDownLatch end = new CountDownLatch(1);
        WarmUp.Gate gate = warmUp.queue(() -> {}, WarmUpTests::sleep);
        warmUp.queue(end::countDown, WarmUpTests::sleep);
        end.await();
        assertTrue(gate.open());
    }

    @Test
    void keepsAGateShutWhileVectorsAreSlower() throws InterruptedException {
        WarmUp warmUp = new WarmUp();
        CountDownLatch tried = new CountDownLatch(20);
        WarmUp.Gate gate = warmUp.queue(
                () -> {
                    sleep();
                    tried.countDown();
                },
                () -> {});
        tried.await();
        assertFalse(gate.open());
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
            for (int call = 0; call < 300; call++) {
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
