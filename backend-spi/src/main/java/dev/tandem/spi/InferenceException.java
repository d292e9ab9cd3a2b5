package dev.tandem.spi;

import org.jspecify.annotations.Nullable;

/**
 * An expected failure: the message says what failed and where, {@link #remedy()} what to do next. Its four children say
 * who acts; anything else that is thrown is a fault of ours.
 */
public abstract sealed class InferenceException extends RuntimeException
        permits UsageException, ModelFileException, PluginException, DeviceException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final String message;
    private final String remedy;

    /**
     * Makes the parts of every message.
     *
     * @param code what went wrong
     * @param message what failed, and where
     * @param remedy what to do next; null for the code's own remedy
     * @param cause the failure behind it, or null
     */
    protected InferenceException(ErrorCode code, String message, @Nullable String remedy, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.message = message;
        this.remedy = remedy == null ? code.remedy() : remedy;
    }

    /**
     * What failed, and where.
     *
     * @return never null, unlike that of other exceptions
     */
    @Override
    public final String getMessage() {
        return message;
    }

    /**
     * What went wrong.
     *
     * @return the code
     */
    public final ErrorCode code() {
        return code;
    }

    /**
     * What to do next.
     *
     * @return one or two sentences
     */
    public final String remedy() {
        return remedy;
    }
}
