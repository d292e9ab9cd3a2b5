package dev.tandem.backend.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.backend.cpu.kernel.WorkerPool;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WorkerPoolTests {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void everyTaskRunsOnceAlsoAfterWorkersParked(int threads) {
        try (WorkerPool pool = new WorkerPool(threads)) {
            assertEquals(threads, pool.threads());
            for (int round = 0; round < 2_000; round++) {
                AtomicIntegerArray runs = new AtomicIntegerArray(round % 17);
                pool.run(runs.length(), (i, scratch) -> runs.incrementAndGet(i));
                for (int i = 0; i < runs.length(); i++) {
                    assertEquals(1, runs.get(i));
                }
                if (round % 400 == 0) {
                    LockSupport.parkNanos(5_000_000);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void rangesCoverEverythingOnceAndStartAtUnits(int threads) {
        try (WorkerPool pool = new WorkerPool(threads)) {
            for (int size : new int[] {0, 1, 31, 32, 33, 100, 4097}) {
                AtomicIntegerArray runs = new AtomicIntegerArray(size);
                pool.ranges(size, 32, 10, (from, to, scratch) -> {
                    assertEquals(0, from % 32);
                    for (int i = from; i < to; i++) {
                        runs.incrementAndGet(i);
                    }
                });
                for (int i = 0; i < size; i++) {
                    assertEquals(1, runs.get(i));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aFailingTaskFailsTheCallAndThePoolGoesOn(int threads) {
        try (WorkerPool pool = new WorkerPool(threads)) {
            assertThrows(
                    IllegalStateException.class,
                    () -> pool.run(50, (i, scratch) -> {
                        if (i == 30) {
                            throw new IllegalStateException("task 30");
                        }
                    }));
            AtomicIntegerArray runs = new AtomicIntegerArray(8);
            pool.run(8, (i, scratch) -> runs.incrementAndGet(i));
            assertEquals(1, runs.get(7));
        }
    }
}
