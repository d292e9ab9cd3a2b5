package dev.tandem.runtime.plugin;

import java.util.Optional;

/**
 * Why a plugin is not in use.
 *
 * @param reason what is wrong, on one line, without a full stop
 * @param remedy what to do next, on one line, without a full stop
 * @param cause the failure behind it, where there was one
 */
public record PluginProblem(String reason, String remedy, Optional<Throwable> cause) {
    /** Makes both texts single lines. */
    public PluginProblem {
        reason = Faults.oneLine(reason);
        remedy = Faults.oneLine(remedy);
    }

    static PluginProblem of(String reason, String remedy) {
        return new PluginProblem(reason, remedy, Optional.empty());
    }

    static PluginProblem of(String reason, String remedy, Throwable cause) {
        return new PluginProblem(reason, remedy, Optional.of(cause));
    }

    /** Reason and remedy, such as {@code needs SPI 1.2, this runtime has 1.1: update the runtime}. */
    public String message() {
        return reason + ": " + remedy;
    }
}
