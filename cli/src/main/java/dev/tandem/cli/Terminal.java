package dev.tandem.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * What is known of the terminal behind the standard streams.
 *
 * @param stdin whether standard input is a terminal
 * @param stdout whether standard output is one
 * @param stderr whether standard error is one
 * @param dumb whether it understands no control sequences ({@code TERM=dumb})
 * @param noColor whether the user wants no colours ({@code NO_COLOR})
 * @param columns asked for the terminal's width when it is needed, since asking costs a process
 */
record Terminal(boolean stdin, boolean stdout, boolean stderr, boolean dumb, boolean noColor, IntSupplier columns) {
    /** Width where nobody knows it. */
    static final int DEFAULT_COLUMNS = 80;

    /** No terminal at all: everything is a pipe or a file. */
    static final Terminal NONE = new Terminal(false, false, false, true, true, () -> DEFAULT_COLUMNS);

    /** The terminal of this process. */
    static Terminal ofProcess(Map<String, String> environment) {
        String term = environment.getOrDefault("TERM", "");
        return new Terminal(
                isTerminal(0),
                isTerminal(1),
                isTerminal(2),
                term.equals("dumb") || term.isEmpty() && File.separatorChar == '/',
                !environment.getOrDefault("NO_COLOR", "").isEmpty(),
                new Columns(environment));
    }

    /** Whether standard output shows colours. */
    boolean colorsOut() {
        return stdout && !dumb && !noColor;
    }

    /** Whether standard error shows colours. */
    boolean colorsErr() {
        return stderr && !dumb && !noColor;
    }

    /** Whether a line on standard error can be drawn again. */
    boolean animates() {
        return stderr && !dumb;
    }

    /** Width of standard output; without a terminal it has no end. */
    int outColumns() {
        return stdout ? columns.getAsInt() : Integer.MAX_VALUE;
    }

    /** Width of standard error; without a terminal it has no end. */
    int errColumns() {
        return stderr ? columns.getAsInt() : Integer.MAX_VALUE;
    }

    /**
     * Whether a file descriptor is a terminal: a character device other than the null device. The platform's console
     * object answers only for input and output together.
     */
    private static boolean isTerminal(int descriptor) {
        Path stream = Path.of("/dev/fd/" + descriptor);
        if (File.separatorChar != '/' || !Files.exists(stream)) {
            return Optional.ofNullable(System.console())
                    .map(java.io.Console::isTerminal)
                    .orElse(false);
        }
        try {
            int fileType = (int) Files.getAttribute(stream, "unix:mode") & 0170000;
            return fileType == 0020000
                    && !Files.getAttribute(stream, "unix:rdev")
                            .equals(Files.getAttribute(Path.of("/dev/null"), "unix:rdev"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return false;
        }
    }

    /** Finds the width once: {@code COLUMNS}, else what {@code stty} says, else a guess. */
    private static final class Columns implements IntSupplier {
        private final Map<String, String> environment;
        private int known;

        Columns(Map<String, String> environment) {
            this.environment = environment;
        }

        @Override
        public synchronized int getAsInt() {
            if (known == 0) {
                known = parse(environment.getOrDefault("COLUMNS", ""));
                known = known > 0 ? known : askTerminal();
                known = known > 0 ? known : DEFAULT_COLUMNS;
            }
            return known;
        }

        private static int askTerminal() {
            File terminal = new File("/dev/tty");
            if (!terminal.exists()) {
                return 0;
            }
            try {
                Process stty = new ProcessBuilder("stty", "size")
                        .redirectInput(terminal)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
                String answer = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
                return parse(answer.substring(answer.indexOf(' ') + 1));
            } catch (IOException e) {
                return 0;
            }
        }

        /** The number, or 0 where the text is none that a terminal could have. */
        private static int parse(String text) {
            return text.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(text) : 0;
        }
    }
}
