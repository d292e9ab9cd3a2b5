package dev.tandem.backend.cpu.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A fixed pool of workers, of which the caller is one. Work is a number of tasks, claimed one by one; the call returns
 * when all are done. Idle workers spin briefly, since the next op follows within microseconds, and then park, so that a
 * core taken by another process is not fought over.
 */
public final class WorkerPool implements AutoCloseable {
    /** Polls before parking; some tens of microseconds. */
    private static final int SPINS = 2_000;

    /** Longest sleep of the caller while others finish; only taken where a core is shared. */
    private static final long AWAIT_NANOS = 50_000;

    private final List<Worker> workers = new ArrayList<>();
    private final Scratch callerScratch = new Scratch();
    private volatile @Nullable Job current;
    private volatile boolean closed;

    /**
     * Starts the workers.
     *
     * @param threads including the caller, at least 1
     */
    public WorkerPool(int threads) {
        for (int i = 1; i < threads; i++) {
            Worker worker = new Worker("tandem-cpu-" + i);
            workers.add(worker);
            worker.start();
        }
    }

    /** Workers including the caller. */
    public int threads() {
        return workers.size() + 1;
    }

    /** One task of a job. */
    @FunctionalInterface
    public interface Task {
        /**
         * Runs it.
         *
         * @param index of the task
         * @param scratch of the worker
         */
        void run(int index, Scratch scratch);
    }

    /** A task over a range. */
    @FunctionalInterface
    public interface RangeTask {
        /**
         * Runs it.
         *
         * @param from first index
         * @param to end of the range
         * @param scratch of the worker
         */
        void run(int from, int to, Scratch scratch);
    }

    /**
     * Runs all tasks and returns when they are done; the first failure is thrown then.
     *
     * @param tasks number of tasks
     * @param task called once per index
     */
    public void run(int tasks, Task task) {
        if (tasks <= 1 || workers.isEmpty()) {
            for (int i = 0; i < tasks; i++) {
                task.run(i, callerScratch);
            }
            return;
        }
        Job job = new Job(tasks, task);
        current = job;
        for (Worker worker : workers) {
            worker.wake();
        }
        job.help(callerScratch);
        job.await();
    }

    /**
     * Cuts {@code 0..size} into ranges and runs them.
     *
     * @param size of the whole
     * @param unit ranges start at multiples of it
     * @param smallest size of a range worth a task of its own
     * @param task called once per range
     */
    public void ranges(int size, int unit, int smallest, RangeTask task) {
        int wanted = Math.min(4 * threads(), Math.max(1, size / Math.max(1, smallest)));
        int units = (size + unit - 1) / unit;
        int perRange = Math.max(1, (units + wanted - 1) / wanted) * unit;
        int tasks = (size + perRange - 1) / perRange;
        run(tasks, (i, scratch) -> task.run(i * perRange, Math.min(size, (i + 1) * perRange), scratch));
    }

    /** Ends the workers; may be called twice. */
    @Override
    public void close() {
        closed = true;
        workers.forEach(LockSupport::unpark);
    }

    /** Tasks of one call. An object of its own, so that a worker that comes late finds nothing left of it. */
    private static final class Job {
        private final int tasks;
        private final Task task;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger done = new AtomicInteger();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        Job(int tasks, Task task) {
            this.tasks = tasks;
            this.task = task;
        }

        void help(Scratch scratch) {
            for (int i = next.getAndIncrement(); i < tasks; i = next.getAndIncrement()) {
                try {
                    task.run(i, scratch);
                } catch (RuntimeException | Error e) {
                    failure.compareAndSet(null, e);
                } finally {
                    done.incrementAndGet();
                }
            }
        }

        void await() {
            int polls = 0;
            while (done.get() < tasks) {
                if (++polls < SPINS) {
                    Thread.onSpinWait();
                } else {
                    LockSupport.parkNanos(this, AWAIT_NANOS);
                }
            }
            Throwable thrown = failure.get();
            if (thrown instanceof Error error) {
                throw error;
            }
            if (thrown instanceof RuntimeException exception) {
                throw exception;
            }
        }
    }

    private final class Worker extends Thread {
        private final Scratch scratch = new Scratch();
        private volatile boolean parked;

        Worker(String name) {
            super(name);
            setDaemon(true);
        }

        void wake() {
            if (parked) {
                LockSupport.unpark(this);
            }
        }

        @Override
        public void run() {
            Job last = null;
            while (!closed) {
                Job job = current;
                if (job == null || job == last) {
                    idle(last);
                } else {
                    job.help(scratch);
                    last = job;
                }
            }
        }

        private void idle(@Nullable Job last) {
            for (int i = 0; i < SPINS; i++) {
                if (current != last || closed) {
                    return;
                }
                Thread.onSpinWait();
            }
            parked = true;
            if (current == last && !closed) {
                LockSupport.park(this);
            }
            parked = false;
        }
    }
}
