package dev.tandem.cli;

import java.time.Duration;
import java.util.Locale;

/**
 * Shows on standard error how far a piece of work is: as a bar on one line that is erased in the end, or, without a
 * terminal, as a plain line when the work takes long. A short piece of work shows nothing.
 */
final class Progress implements AutoCloseable {
    private static final int BAR_CELLS = 24;
    private static final String ERASE_LINE = "\r\033[K";

    private final Console console;
    private final String what;
    private final long total;
    private final Pace pace;
    private volatile long done;
    private boolean drawn;
    private boolean closed;

    /**
     * When to show something.
     *
     * @param bar time before a bar appears on a terminal
     * @param line time before a plain line appears elsewhere
     * @param redraw time between two states of the bar
     */
    record Pace(Duration bar, Duration line, Duration redraw) {
        static final Pace USUAL = new Pace(Duration.ofMillis(200), Duration.ofSeconds(2), Duration.ofMillis(100));
    }

    private Progress(Console console, String what, long total, Pace pace) {
        this.console = console;
        this.what = what;
        this.total = total;
        this.pace = pace;
    }

    /**
     * Begins to watch a piece of work.
     *
     * @param console where to show it
     * @param what a few words such as {@code loading model.gguf}
     * @param total all of the work, in any unit; 0 where it is not known
     */
    static Progress start(Console console, String what, long total) {
        return start(console, what, total, Pace.USUAL);
    }

    static Progress start(Console console, String what, long total, Pace pace) {
        Progress progress = new Progress(console, what, total, pace);
        Thread.ofPlatform().daemon().name("tandem-progress").start(progress::watch);
        return progress;
    }

    /** Tells how much is done. */
    void at(long amount) {
        done = amount;
    }

    private synchronized void watch() {
        boolean animates = console.terminal().animates();
        try {
            pause(animates ? pace.bar() : pace.line());
            if (!closed && !animates) {
                console.errLine("tandem: " + what + " ...");
                return;
            }
            while (!closed) {
                console.err(ERASE_LINE
                        + render(what, done, total, console.terminal().columns().getAsInt()));
                drawn = true;
                pause(pace.redraw());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits that long, or until somebody closes. */
    private void pause(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0 && !closed; left = end - System.nanoTime()) {
            wait(Math.max(1, Duration.ofNanos(left).toMillis()));
        }
    }

    /** The bar's line, at most one column narrower than the terminal, so that the cursor never wraps. */
    static String render(String what, long done, long total, int columns) {
        int room = Math.max(1, columns - 1);
        if (total <= 0) {
            return Text.abbreviateMiddle(what + " ...", room);
        }
        double share = Math.clamp((double) done / total, 0, 1);
        String percent = String.format(Locale.ROOT, " %3.0f %%", Math.floor(100 * share));
        int cells = Math.clamp(room - what.length() - percent.length() - 3L, 0, BAR_CELLS);
        if (cells < 8) {
            return Text.abbreviateMiddle(what, Math.max(0, room - percent.length())) + percent;
        }
        int full = (int) (cells * share);
        return what + " [" + "#".repeat(full) + "-".repeat(cells - full) + "]" + percent;
    }

    /** Ends the watch and erases the bar. May be called twice. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            notifyAll();
            if (drawn) {
                console.err(ERASE_LINE);
            }
        }
    }
}
