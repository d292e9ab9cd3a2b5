package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.DeviceException;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.InferenceException;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.PluginException;
import dev.tandem.spi.UsageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ExitCodeTests {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final ErrorReporter reporter = new ErrorReporter(
            new Console(InputStream.nullInputStream(), OutputStream.nullOutputStream(), err, Terminal.NONE));

    @Test
    void tellWhoHasToAct() {
        assertAll(
                () -> assertEquals(2, code(new UsageException(ErrorCode.BAD_ARGUMENT, "m"))),
                () -> assertEquals(2, code(new UsageException(ErrorCode.CONTEXT_FULL, "m"))),
                () -> assertEquals(3, code(new ModelFileException(ErrorCode.FILE_CORRUPT, "m"))),
                () -> assertEquals(4, code(new PluginException(ErrorCode.PLUGIN_FAULT, "m"))),
                () -> assertEquals(5, code(new DeviceException(ErrorCode.DEVICE_LOST, "m", false, null))),
                () -> assertEquals(6, code(new UsageException(ErrorCode.OUTPUT_FAILED, "m"))),
                () -> assertEquals(130, code(new UsageException(ErrorCode.CANCELLED, "m"))));
    }

    private static int code(InferenceException failure) {
        return ExitCode.of(failure).number();
    }

    @Test
    void anExpectedFailureIsAMessageAndARemedyWithoutATrace() {
        ModelFileException failure = new ModelFileException(
                ErrorCode.FILE_CORRUPT, "a.gguf: bad", "Convert it again.", new IOException("deep cause"));

        assertEquals(ExitCode.MODEL, reporter.report(failure));
        assertEquals("tandem: a.gguf: bad\n    Convert it again.\n", errors());
    }

    @Test
    void aFaultOfOursShowsATraceAndAsksForAReport() {
        assertEquals(ExitCode.FAULT, reporter.report(new IllegalStateException("broken")));
        assertTrue(errors().startsWith("tandem: this is a fault of tandem, please report"), errors());
        assertTrue(errors().contains("at dev.tandem.cli.ExitCodeTests"), errors());
    }

    @Test
    void aClosedPipeIsSilent() {
        assertEquals(ExitCode.CLOSED_PIPE, reporter.report(new ClosedPipeException(new IOException("Broken pipe"))));
        assertEquals("", errors());
    }

    @Test
    void exhaustedHeapIsAMatterOfTheMachine() {
        assertEquals(ExitCode.DEVICE, reporter.report(new OutOfMemoryError("Java heap space")));
        assertTrue(errors().contains("-Xmx"), errors());
        assertFalse(errors().contains("\tat "), errors());
    }

    @Test
    void aMessageFromAHostileFileCannotSteerTheTerminal() {
        reporter.report(new ModelFileException(ErrorCode.FILE_CORRUPT, "key \u001b[2J\nfake: line"));

        assertTrue(errors().startsWith("tandem: key \\u001b[2J\\nfake: line\n"), errors());
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
