package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProgressTests {
    private static final Duration NOW = Duration.ofMillis(1);
    private static final Duration NEVER = Duration.ofHours(1);

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Console console(Terminal terminal) {
        return new Console(InputStream.nullInputStream(), OutputStream.nullOutputStream(), err, terminal);
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    /** Waits until something is shown; a hang is the build's timeout. */
    private void awaitOutput() throws InterruptedException {
        while (err.size() == 0) {
            Thread.sleep(1);
        }
    }

    @Test
    void aBarOnATerminalIsErasedInTheEnd() throws InterruptedException {
        Progress.Pace pace = new Progress.Pace(NOW, NEVER, NEVER);
        try (Progress progress = Progress.start(console(CliRun.terminalOf(80)), "loading", 10, pace)) {
            progress.at(5);
            awaitOutput();
        }
        assertTrue(errors().matches("\r\033\\[Kloading \\[.*] +[05]+ %\r\033\\[K"), errors());
    }

    @Test
    void withoutATerminalALongWaitIsOnePlainLine() throws InterruptedException {
        Progress.Pace pace = new Progress.Pace(NEVER, NOW, NOW);
        try (Progress progress = Progress.start(console(Terminal.NONE), "loading a.gguf", 10, pace)) {
            progress.at(5);
            awaitOutput();
        }
        assertEquals("tandem: loading a.gguf ...\n", errors());
    }

    @Test
    void aDumbTerminalGetsNoControlSequences() throws InterruptedException {
        Terminal dumb = new Terminal(true, true, true, true, false, () -> 80);
        try (Progress progress = Progress.start(console(dumb), "loading", 10, new Progress.Pace(NEVER, NOW, NOW))) {
            progress.at(5);
            awaitOutput();
        }
        assertEquals("tandem: loading ...\n", errors());
    }

    @Test
    void aShortPieceOfWorkShowsNothing() {
        Progress.Pace pace = new Progress.Pace(NEVER, NEVER, NEVER);
        try (Progress progress = Progress.start(console(CliRun.terminalOf(80)), "loading", 10, pace)) {
            progress.at(10);
        }
        assertEquals("", errors());
    }
}
