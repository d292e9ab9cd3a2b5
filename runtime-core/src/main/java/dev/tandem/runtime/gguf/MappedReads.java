package dev.tandem.runtime.gguf;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns a read from a mapping that somebody cut short into a failure with a remedy.
 *
 * <p>When another process truncates a mapped file, or its disk goes away, the JVM reports the next access as an
 * {@link InternalError}. Whoever reads {@link GgufFile#data} wraps the work in {@link #checked}; everything else in this
 * package is wrapped already.
 */
public final class MappedReads {
    /** Common part of the JVM's two messages, for interpreted and for compiled code. */
    private static final String FAULT = "unsafe memory access operation";

    private MappedReads() {}

    /**
     * Runs work that reads a mapped file.
     *
     * @param <T> what the work returns
     * @param file named in the message
     * @param work the reading
     * @return its result
     * @throws ModelFileException with {@link ErrorCode#FILE_CHANGED} where the mapping is no longer backed by the file
     */
    public static <T> T checked(String file, Supplier<T> work) {
        try {
            return work.get();
        } catch (InternalError e) {
            if (!isFault(e)) {
                throw e;
            }
            throw new ModelFileException(
                    ErrorCode.FILE_CHANGED, file + ": the file shrank or became unreadable while in use", null, e);
        }
    }

    /**
     * Whether a failure, or one behind it, is a read from a mapping that lost its file.
     *
     * @param failure anything thrown
     * @return true for the JVM's memory access fault
     */
    public static boolean isFault(Throwable failure) {
        for (@Nullable Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof InternalError && String.valueOf(t.getMessage()).contains(FAULT)) {
                return true;
            }
        }
        return false;
    }
}
