package dev.tandem.backend.cpu.vector;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs vector kernels on small data beside the real work until the JIT has compiled them. A vector method is a hundred
 * times slower than a scalar one before that, and compiling it takes longer than a short prompt.
 *
 * <p>Tasks are done one after the other by a daemon thread, which ends when there are no more.
 */
final class WarmUp {
    /** Runs in a row that must be fast. */
    private static final int FAST_RUNS = 5;
    /** After this long a kernel counts as one that this machine does not compile, and the scalar twin stays. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final LinkedBlockingQueue<Task> tasks = new LinkedBlockingQueue<>();
    private boolean running;

    /** Opens once its kernels are compiled. */
    static final class Gate {
        private volatile boolean open;

        boolean open() {
            return open;
        }
    }

    private record Task(Gate gate, Runnable vector, Runnable scalar) {}

    /**
     * Queues a task.
     *
     * @param vector some work by vectors
     * @param scalar the same work by the scalar twin
     * @return opens once the former takes less than half the time of the latter
     */
    synchronized Gate queue(Runnable vector, Runnable scalar) {
        Gate gate = new Gate();
        tasks.add(new Task(gate, vector, scalar));
        if (!running) {
            running = true;
            Thread thread = new Thread(this::run, "tandem-warm-up");
            thread.setDaemon(true);
            thread.start();
        }
        return gate;
    }

    private void run() {
        for (Task task = next(); task != null; task = next()) {
            warm(task);
        }
    }

    private synchronized @Nullable Task next() {
        Task task = tasks.poll();
        running = task != null;
        return task;
    }

    private static void warm(Task task) {
        long start = System.nanoTime();
        long scalar = Long.MAX_VALUE;
        int fast = 0;
        while (fast < FAST_RUNS && System.nanoTime() - start < PATIENCE_NANOS) {
            scalar = Math.min(scalar, nanos(task.scalar));
            fast = nanos(task.vector) <= scalar / 2 ? fast + 1 : 0;
        }
        task.gate.open = fast == FAST_RUNS;
    }

    private static long nanos(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return System.nanoTime() - start;
    }
}
