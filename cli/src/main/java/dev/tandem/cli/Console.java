package dev.tandem.cli;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The standard streams of one command. Text is UTF-8 whatever the locale says: it is data, and a pipe does not know the
 * locale of its reader. Safe for use by several threads.
 */
final class Console {
    private final InputStream in;
    private final OutputStream out;
    private final OutputStream err;
    private final Terminal terminal;

    Console(InputStream in, OutputStream out, OutputStream err, Terminal terminal) {
        this.in = in;
        this.out = out;
        this.err = err;
        this.terminal = terminal;
    }

    /** The streams of this process, unbuffered: a streamed token is seen at once. */
    static Console ofProcess() {
        return new Console(
                new FileInputStream(FileDescriptor.in),
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                Terminal.ofProcess(System.getenv()));
    }

    /** Standard input. */
    InputStream in() {
        return in;
    }

    /** The terminal behind the streams. */
    Terminal terminal() {
        return terminal;
    }

    /**
     * Writes to standard output.
     *
     * @throws ClosedPipeException where nobody reads any more
     * @throws UsageException where writing fails for another reason, such as a full disk
     */
    void out(String text) {
        try {
            synchronized (out) {
                out.write(text.getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        } catch (IOException e) {
            String reason = String.valueOf(e.getMessage());
            // Every platform that knows the case, and every translation of it, names the pipe.
            if (reason.toLowerCase(Locale.ROOT).contains("pipe")) {
                throw new ClosedPipeException(e);
            }
            throw new UsageException(ErrorCode.OUTPUT_FAILED, "cannot write to standard output: " + reason, null, e);
        }
    }

    /** Writes a line to standard output. */
    void outLine(String line) {
        out(line + "\n");
    }

    /** Writes to standard error; where that fails there is nobody to tell. */
    void err(String text) {
        try {
            synchronized (err) {
                err.write(text.getBytes(StandardCharsets.UTF_8));
                err.flush();
            }
        } catch (IOException ignored) {
            return;
        }
    }

    /** Writes a line to standard error. */
    void errLine(String line) {
        err(line + "\n");
    }

    /** Writes one message to standard error; a terminal breaks it between words. */
    void say(String message) {
        say(0, message);
    }

    /** Writes one indented message. */
    void say(int indent, String message) {
        err(Text.indented(Text.oneLine(message), indent, terminal.errColumns()));
    }

    /** Writes a message that may be overlooked, in a weak colour where the terminal can. */
    void sayDimmed(String message) {
        String text = Text.indented(Text.oneLine(message), 0, terminal.errColumns());
        err(terminal.colorsErr() ? "\033[2m" + text.stripTrailing() + "\033[22m\n" : text);
    }

    /** Writes what the user should hear about. */
    void warn(String message) {
        say("tandem: warning: " + message);
    }

    /** Standard output for libraries that print. */
    PrintWriter outWriter() {
        return new PrintWriter(new Writer() {
            @Override
            public void write(char[] buffer, int offset, int length) {
                out(new String(buffer, offset, length));
            }

            @Override
            public void flush() {
                // Nothing is held back.
            }

            @Override
            public void close() {
                // The stream is the process's.
            }
        });
    }
}
