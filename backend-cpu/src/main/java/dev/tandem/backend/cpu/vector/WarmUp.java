package dev.tandem.backend.cpu.vector;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs vector kernels on small data beside the real work until the JIT has compiled them, then whatever waited for that.
 * A vector method is a hundred times slower than a scalar one before it is compiled, and compiling it takes longer than a
 * short prompt.
 *
 * <p>Work is done one piece after the other by a daemon thread, which ends when there is no more. It waits for the first
 * step, since compiling competes with it for the processor, but not for long, since a long prompt needs the vectors.
 */
final class WarmUp {
    /** Runs in a row that must be fast. */
    private static final int FAST_RUNS = 5;
    /** After this long the processor is left alone between runs. */
    private static final long HASTE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final LinkedBlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
    private final CountDownLatch started = new CountDownLatch(1);
    private final long longestWaitNanos;
    private boolean running;

    /**
     * Nothing to do yet.
     *
     * @param longestWaitNanos after this long it starts by itself
     */
    WarmUp(long longestWaitNanos) {
        this.longestWaitNanos = longestWaitNanos;
    }

    /** Starts now. */
    void start() {
        started.countDown();
    }

    /**
     * Queues a warm-up, which ends when the vectors take less than half the time.
     *
     * @param vector makes some work by vectors, when its turn comes
     * @param scalar makes the same work by the scalar twin
     */
    void warm(Supplier<Runnable> vector, Supplier<Runnable> scalar) {
        then(() -> untilFast(vector.get(), scalar.get()));
    }

    /**
     * Queues work that is done after all that was queued before.
     *
     * @param piece short; what it throws ends nothing else
     */
    synchronized void then(Runnable piece) {
        work.add(piece);
        if (!running) {
            running = true;
            Thread thread = new Thread(this::run, "tandem-warm-up");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void run() {
        try {
            started.await(longestWaitNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Runnable piece = next(); piece != null; piece = next()) {
            piece.run();
        }
    }

    private synchronized @Nullable Runnable next() {
        Runnable piece = work.poll();
        running = piece != null;
        return piece;
    }

    private static void untilFast(Runnable vector, Runnable scalar) {
        long start = System.nanoTime();
        long best = Long.MAX_VALUE;
        for (int fast = 0; fast < FAST_RUNS; ) {
            best = Math.min(best, nanos(scalar));
            fast = nanos(vector) <= best / 2 ? fast + 1 : 0;
            if (System.nanoTime() - start > HASTE_NANOS) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private static long nanos(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return System.nanoTime() - start;
    }
}
