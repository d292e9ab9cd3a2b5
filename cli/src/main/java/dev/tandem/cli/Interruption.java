package dev.tandem.cli;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The user's wish to stop, by Ctrl-C or a termination signal.
 *
 * <p>The JVM answers both signals by ending, and runs hooks before it does. The hook here makes the wish known and gives
 * the running command a moment to end well: to finish its step, print its last line and close its files. The process ends
 * after that moment in any case, so a command that hangs cannot hold the user's terminal.
 */
final class Interruption {
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile boolean requested;

    /** Starts to listen; the JVM then ends with 128 and the signal's number: 130 for Ctrl-C. */
    void listen() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopAndWait, "tandem-interruption"));
    }

    private void stopAndWait() {
        requested = true;
        try {
            finished.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Makes the wish known. */
    void request() {
        requested = true;
    }

    /** Whether the command should stop. */
    boolean isRequested() {
        return requested;
    }

    /** Throws where the command should stop; for work that has nothing to show for itself when it is half done. */
    void check() {
        if (requested) {
            throw new UsageException(ErrorCode.CANCELLED, "interrupted");
        }
    }

    /** Says that the command has ended. */
    void finish() {
        finished.countDown();
    }
}
