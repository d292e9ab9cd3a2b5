package dev.tandem.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One command run in this process, with its own streams, terminal and installation. */
final class CliRun {
    private final ByteArrayOutputStream captured = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private final Interruption interruption = new Interruption();
    private OutputStream out = captured;
    private InputStream in = new ByteArrayInputStream(new byte[0]);
    private Terminal terminal = Terminal.NONE;
    private Installation installation = new Installation(Optional.of(root()), NOTHING);

    /** A user who has set nothing. */
    static final Environment NOTHING = new Environment(Map.of(), "Linux", Path.of("/nowhere/at/all"));

    /** What came of it. */
    record Result(int exitCode, String out, String err) {
        JsonNode json() {
            return JsonMapper.shared().readTree(out);
        }

        /** Standard error without the lines that a busy machine adds: a long wait is announced. */
        List<String> messages() {
            return err.lines().filter(line -> !line.endsWith(" ...")).toList();
        }
    }

    static Result tandem(String... args) {
        return new CliRun().run(args);
    }

    /** A terminal on all three streams. */
    static Terminal terminalOf(int columns) {
        return new Terminal(true, true, true, false, false, () -> columns);
    }

    CliRun on(Terminal other) {
        terminal = other;
        return this;
    }

    CliRun reading(String text) {
        in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    CliRun at(Path home) {
        installation = new Installation(Optional.of(home), installation.environment());
        return this;
    }

    CliRun in(Environment environment) {
        installation = new Installation(installation.home(), environment);
        return this;
    }

    /** Makes standard output fail as the operating system would. */
    CliRun failing(String reason) {
        out = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(reason);
            }
        };
        return this;
    }

    /** Asks to stop as soon as something is written to standard output. */
    CliRun interruptedAtFirstOutput() {
        out = new OutputStream() {
            @Override
            public void write(int b) {
                captured.write(b);
                interruption.request();
            }
        };
        return this;
    }

    CliRun interrupted() {
        interruption.request();
        return this;
    }

    Result run(String... args) {
        Context context = new Context(new Console(in, out, errors, terminal), interruption, installation);
        int exitCode = new Tandem(context).run(args);
        return new Result(exitCode, captured.toString(StandardCharsets.UTF_8), errors.toString(StandardCharsets.UTF_8));
    }

    /** The root of the source tree, whose layout is that of an installation. */
    static Path root() {
        return Path.of(System.getProperty("tandem.root", ".."));
    }

    /** The small model: architecture qwen3, random weights, context 512. */
    static String tinyModel() {
        return resource("/tiny/qwen3.gguf").toString();
    }

    /** What another implementation computed for that model. */
    static JsonNode tinyGolden() {
        return JsonMapper.shared().readTree(resource("/tiny/qwen3.golden.json").toFile());
    }

    private static Path resource(String name) {
        URL url = Objects.requireNonNull(CliRun.class.getResource(name), name);
        try {
            return Path.of(url.toURI());
        } catch (URISyntaxException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
