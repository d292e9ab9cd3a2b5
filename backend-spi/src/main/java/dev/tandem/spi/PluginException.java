package dev.tandem.spi;

import org.jspecify.annotations.Nullable;

/** A plugin is missing, broken or breaks its contract: whoever installs plugins acts. */
public final class PluginException extends InferenceException {
    private static final long serialVersionUID = 1L;

    /**
     * A failure with the code's own remedy.
     *
     * @param code what went wrong
     * @param message what failed, and where
     */
    public PluginException(ErrorCode code, String message) {
        super(code, message, null, null);
    }

    /**
     * A failure with a remedy of its own.
     *
     * @param code what went wrong
     * @param message what failed, and where
     * @param remedy what to do next
     */
    public PluginException(ErrorCode code, String message, String remedy) {
        super(code, message, remedy, null);
    }

    /**
     * A failure with a cause.
     *
     * @param code what went wrong
     * @param message what failed, and where
     * @param remedy what to do next; null for the code's own remedy
     * @param cause the failure behind it
     */
    public PluginException(ErrorCode code, String message, @Nullable String remedy, @Nullable Throwable cause) {
        super(code, message, remedy, cause);
    }
}
