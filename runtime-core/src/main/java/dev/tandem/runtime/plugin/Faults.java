package dev.tandem.runtime.plugin;

import java.util.ServiceConfigurationError;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Turns what a plugin threw into one line, and lets failures of the JVM itself through. */
public final class Faults {
    /** Longer chains are cut: a hostile exception may be its own grandfather. */
    private static final int MAX_CAUSES = 32;

    private static final Pattern SERVICE_PREFIX =
            Pattern.compile("^java\\.util\\.\\w+: dev\\.tandem\\.spi\\.[\\w.]+: ");

    private Faults() {}

    /**
     * Rethrows a failure of the JVM, also where the service loader wrapped it: no plugin is to blame, and going on
     * without memory would only hide it.
     */
    static void rethrowIfFatal(Throwable fault) {
        @Nullable Throwable at = fault;
        for (int i = 0; at != null && i < MAX_CAUSES; i++) {
            if (at instanceof VirtualMachineError fatal) {
                throw fatal;
            }
            at = causeOf(at);
        }
    }

    /** The failure and its root cause in one line. */
    public static String describe(Throwable fault) {
        @Nullable Throwable root = null;
        @Nullable Throwable next = causeOf(fault);
        for (int i = 0; next != null && i < MAX_CAUSES; i++) {
            root = next;
            next = causeOf(next);
        }
        String text = fault instanceof ServiceConfigurationError ? withoutService(text(fault)) : text(fault);
        return oneLine(root == null ? text : text + ": " + text(root));
    }

    /** Joins lines and drops control characters, which a terminal would obey. */
    static String oneLine(String text) {
        return text.replaceAll("[\\p{IsControl}\\s]+", " ").strip();
    }

    /** The service loader starts its messages with its own name and the interface, which the report names already. */
    private static String withoutService(String text) {
        return SERVICE_PREFIX.matcher(text).replaceFirst("");
    }

    private static @Nullable Throwable causeOf(Throwable fault) {
        try {
            return fault.getCause();
        } catch (RuntimeException e) {
            return null;
        }
    }

    private static String text(Throwable fault) {
        try {
            return fault.toString();
        } catch (RuntimeException e) {
            // A plugin's exception class is plugin code, too.
            return fault.getClass().getName();
        }
    }
}
