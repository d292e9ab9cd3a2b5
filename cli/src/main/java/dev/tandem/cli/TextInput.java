package dev.tandem.cli;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads text that the user names: a file, or standard input as {@code -}. */
final class TextInput {
    /** The name of standard input. */
    static final String STDIN = "-";

    /** More text than any context holds. */
    private static final int MAX_BYTES = 1 << 28;

    private TextInput() {}

    /**
     * The text of a command line: an argument, a file, or standard input where there is neither.
     *
     * @param argument the text itself, or {@code -}
     * @param file where it stands
     * @param noun what to call it in messages
     * @throws UsageException where there is none, there are two, or it cannot be read
     */
    static String ofArguments(@Nullable String argument, @Nullable Path file, String noun, Console console) {
        if (argument != null && file != null) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "a " + noun + " is given both as an argument and with --file",
                    "Give one of the two.");
        }
        if (argument != null) {
            return argument.equals(STDIN) ? readStdin(console) : argument;
        }
        if (file != null) {
            return read(file, console);
        }
        if (console.terminal().stdin()) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "there is no " + noun,
                    "Give one as an argument in quotes, with --file FILE, or through a pipe.");
        }
        return readStdin(console);
    }

    /**
     * Reads all of it, nothing added or taken away.
     *
     * @throws UsageException where it cannot be read, is too long or is no UTF-8
     */
    static String read(Path file, Console console) {
        if (file.toString().equals(STDIN)) {
            return readStdin(console);
        }
        if (Files.isDirectory(file)) {
            throw unreadable(file + " is a directory, not a text file", null);
        }
        try (InputStream stream = Files.newInputStream(file)) {
            return decode(file.toString(), stream.readNBytes(MAX_BYTES + 1));
        } catch (NoSuchFileException e) {
            throw unreadable(file + " does not exist", e);
        } catch (AccessDeniedException e) {
            throw unreadable(file + " cannot be read: permission denied", e);
        } catch (IOException e) {
            throw unreadable(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Reads standard input to its end. */
    static String readStdin(Console console) {
        try {
            return decode("standard input", console.in().readNBytes(MAX_BYTES + 1));
        } catch (IOException e) {
            throw unreadable("standard input cannot be read: " + e.getMessage(), e);
        }
    }

    private static String decode(String name, byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    name + " has more than " + Text.bytes(MAX_BYTES) + " of text",
                    "Give a shorter text.");
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    name + " is no UTF-8 text",
                    "Convert it to UTF-8, or give another file.",
                    e);
        }
    }

    private static UsageException unreadable(String message, @Nullable Throwable cause) {
        return new UsageException(ErrorCode.FILE_UNREADABLE, message, null, cause);
    }
}
