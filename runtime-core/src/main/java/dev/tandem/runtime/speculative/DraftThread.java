package dev.tandem.runtime.speculative;

import dev.tandem.runtime.plugin.Faults;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread on which a plugin's calls are made, in order. A call that throws or outlasts the deadline is the last one:
 * its fault is kept, later calls are dropped, and a thread that does not return is abandoned. It is a daemon, so that it
 * cannot hold the process either. Used by one thread at a time.
 */
final class DraftThread {
    /** How often a waiting caller looks whether it should stop. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Duration deadline;
    private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();
    private final AtomicReference<@Nullable String> fault = new AtomicReference<>();
    private final Worker thread;
    private volatile String running = "";
    private volatile int finished;
    /** Whether the caller stopped waiting for a call that may still run. */
    private boolean left;

    /**
     * One call.
     *
     * @param name the method, for messages
     * @param work calls it
     * @param done whether it returned; false where it failed or was dropped
     * @param last whether the thread ends after it; such a call is not dropped
     */
    private record Call(String name, Runnable work, CompletableFuture<Boolean> done, boolean last) {}

    /**
     * Starts the thread.
     *
     * @param strategy id, for the thread's name
     * @param deadline longest time of one call
     */
    DraftThread(String strategy, Duration deadline) {
        this.deadline = deadline;
        this.thread = new Worker(this::serve);
        thread.setName("draft-" + strategy);
        thread.setDaemon(true);
        thread.start();
    }

    /** Knows whether it is inside the engine. */
    private static final class Worker extends Thread {
        private volatile boolean inEngine;

        private Worker(Runnable work) {
            super(work);
        }
    }

    /**
     * Does something of the engine's for a strategy: its time does not count as the strategy's.
     *
     * @param work whatever a host offers
     */
    static <T> T inEngine(Supplier<T> work) {
        if (!(Thread.currentThread() instanceof Worker worker)) {
            return work.get();
        }
        worker.inEngine = true;
        try {
            return work.get();
        } finally {
            worker.inEngine = false;
        }
    }

    private void serve() {
        while (true) {
            try {
                Call call = calls.take();
                call.done().complete((call.last() || fault.get() == null) && returned(call));
                if (call.last()) {
                    return;
                }
            } catch (InterruptedException e) {
                // Meant for a call that has returned by now. The last call still has to be made.
            }
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written by this thread only
    private boolean returned(Call call) {
        running = call.name();
        try {
            call.work().run();
            return true;
        } catch (Throwable e) { // a plugin's own thread: whatever it throws is its fault, and ends here
            fail(call.name() + " threw " + Faults.describe(e));
            return false;
        } finally {
            finished++;
        }
    }

    /** Keeps a fault, unless there is one. */
    void fail(String what) {
        fault.compareAndSet(null, what);
    }

    /** What went wrong, starting with the method's name; empty where nothing has. */
    Optional<String> fault() {
        return Optional.ofNullable(fault.get());
    }

    /** Has a call made some time, without waiting. */
    void post(String name, Runnable work) {
        calls.add(call(name, work, false));
    }

    /**
     * Has a call made and waits for its answer and those before it.
     *
     * @param name the method
     * @param work answers null where the method did
     * @param stop asked while waiting
     * @return empty where the call failed, or the caller should stop; then the answer is dropped when it comes
     */
    <T> Optional<T> ask(String name, Supplier<T> work, BooleanSupplier stop) {
        AtomicReference<@Nullable T> answer = new AtomicReference<>();
        Call call = call(name, () -> answer.set(work.get()), false);
        calls.add(call);
        return await(call.done(), stop) ? Optional.ofNullable(answer.get()) : Optional.empty();
    }

    /**
     * Has a last call made, even after a fault, and ends the thread. Waits for it only where every call so far went well
     * and was waited for: one that never returns must not hold the caller.
     */
    void quit(String name, Runnable work) {
        Call call = call(name, work, true);
        calls.add(call);
        if (fault.get() == null && !left) {
            await(call.done(), () -> false);
        }
    }

    private static Call call(String name, Runnable work, boolean last) {
        return new Call(name, work, new CompletableFuture<>(), last);
    }

    /** Waits while no call outlasts the deadline; whether the awaited one returned. */
    private boolean await(CompletableFuture<Boolean> done, BooleanSupplier stop) {
        int seen = finished;
        long since = System.nanoTime();
        while (true) {
            try {
                boolean returned = done.get(POLL_NANOS, TimeUnit.NANOSECONDS);
                left = false;
                return returned;
            } catch (TimeoutException e) {
                if (stop.getAsBoolean()) {
                    left = true;
                    return false;
                }
                if (finished != seen || thread.inEngine) {
                    seen = finished;
                    since = System.nanoTime();
                } else if (System.nanoTime() - since > deadline.toNanos()) {
                    fail(running + " did not return within " + deadline.toMillis() + " ms");
                    thread.interrupt();
                    return false;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                left = true;
                return false;
            } catch (ExecutionException e) {
                throw new IllegalStateException(e); // calls never complete with a failure
            }
        }
    }
}
