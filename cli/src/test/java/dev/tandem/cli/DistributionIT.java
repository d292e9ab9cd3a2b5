package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Starts the built distribution as a user does: a process of its own, real pipes, real signals. */
@Timeout(120)
class DistributionIT {
    private static final Path DISTRIBUTION =
            CliRun.root().resolve("cli").resolve("target").resolve("dist").toAbsolutePath();

    @TempDir
    Path folder;

    private record Result(int exitCode, String out, String err) {}

    private static ProcessBuilder java(boolean vector, List<String> args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (vector) {
            command.add("--add-modules=jdk.incubator.vector");
        }
        command.add("-jar");
        command.add(DISTRIBUTION.resolve("tandem.jar").toString());
        command.addAll(args);
        return new ProcessBuilder(command);
    }

    private Result run(boolean vector, String... args) throws IOException, InterruptedException {
        Path out = folder.resolve("stdout");
        Path err = folder.resolve("stderr");
        Process process = java(vector, List.of(args))
                .redirectInput(Files.createFile(folder.resolve("stdin-" + System.nanoTime()))
                        .toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        int exitCode = process.waitFor();
        return new Result(exitCode, Files.readString(out), Files.readString(err));
    }

    /** Standard error without what Java says of the Vector API, and without what a busy machine adds. */
    private static List<String> messages(String err) {
        return err.lines()
                .filter(line -> !line.contains("Using incubator modules") && !line.endsWith(" ..."))
                .toList();
    }

    @Test
    void runsTheModelThatComesWithIt() throws IOException, InterruptedException {
        Result result = run(true, "run", "-n", "16", "public static int sum(int[] values) {");

        assertEquals(0, result.exitCode(), result.err());
        assertFalse(result.out().isBlank());
        assertTrue(result.err().lines().toList().getLast().contains("16 tokens in "), result.err());
    }

    @Test
    void withoutTheVectorModuleItRunsAlikeAndSaysSoOnce() throws IOException, InterruptedException {
        Result vector = run(true, "run", "-n", "8", "public static");
        Result scalar = run(false, "run", "-n", "8", "public static");

        assertEquals(0, scalar.exitCode(), scalar.err());
        assertEquals(vector.out(), scalar.out());
        assertEquals(
                1,
                scalar.err()
                        .lines()
                        .filter(line -> line.startsWith("tandem: warning: "))
                        .count(),
                scalar.err());
    }

    @Test
    void endsQuietlyWhereItsReaderGoesAway() throws IOException, InterruptedException {
        Path err = folder.resolve("stderr");
        Process process = java(true, List.of("run", "-n", "-1", "--ignore-eos", "public static int sum("))
                .redirectError(err.toFile())
                .start();
        process.getOutputStream().close();
        assertTrue(process.getInputStream().read() >= 0);
        process.getInputStream().close();

        assertEquals(141, process.waitFor(), Files.readString(err));
        assertEquals(List.of(), messages(Files.readString(err)));
    }

    @Test
    void anInterruptEndsItWellAndKeepsTheText() throws IOException, InterruptedException {
        Path err = folder.resolve("stderr");
        Process process = java(true, List.of("run", "-n", "-1", "--ignore-eos", "public static int sum("))
                .redirectError(err.toFile())
                .start();
        process.getOutputStream().close();
        int first = process.getInputStream().read();
        // SIGTERM takes the same way as SIGINT, which a process started in the background may be set to ignore.
        process.toHandle().destroy();
        process.getInputStream().readAllBytes();

        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertAll(
                () -> assertEquals(128 + 15, process.exitValue()),
                () -> assertTrue(first >= 0),
                () -> assertTrue(Files.readString(err).endsWith("; interrupted\n"), Files.readString(err)));
    }

    @Test
    void aBadFileIsOneMessage() throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("bad.gguf"), "GGUF but not really");
        Result result = run(true, "run", "-m", file.toString(), "x");

        assertEquals(3, result.exitCode());
        List<String> lines = messages(result.err());
        assertEquals(2, lines.size(), result.err());
        assertTrue(lines.getFirst().startsWith("tandem: " + file), result.err());
    }

    @Test
    void brokenPluginsDoNotStopIt() throws IOException, InterruptedException {
        Path plugins = Files.createDirectory(folder.resolve("plugins"));
        Files.createFile(plugins.resolve("empty.jar"));
        Files.writeString(plugins.resolve("corrupt.jar"), "PK\003\004 and then nothing that a jar would hold");
        Files.createDirectory(plugins.resolve("folder-without-jars"));

        Result run = run(true, "run", "-n", "4", "--plugins", plugins.toString(), "public static");
        Result doctor = run(true, "doctor", "--plugins", plugins.toString());

        assertEquals(0, run.exitCode(), run.err());
        assertFalse(run.out().isEmpty());
        assertEquals(0, doctor.exitCode(), doctor.err());
        assertTrue(doctor.out().contains("empty.jar") && doctor.out().contains("corrupt.jar"), doctor.out());
    }

    @Test
    void aPromptThatTheLocaleCannotExpressIsRefusedAndNotMangled() throws IOException, InterruptedException {
        Path err = folder.resolve("stderr");
        ProcessBuilder builder = java(true, List.of("run", "-n", "1", "caf\u00e9"))
                .redirectOutput(folder.resolve("stdout").toFile())
                .redirectError(err.toFile());
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        process.getOutputStream().close();

        assertEquals(2, process.waitFor(), Files.readString(err));
        assertTrue(Files.readString(err).contains("LC_ALL=C.UTF-8"), Files.readString(err));
    }

    @Test
    void versionNamesTheBuild() throws IOException, InterruptedException {
        Result result = run(true, "--version");

        assertTrue(result.out().matches("(?s)tandem [0-9]+\\.[0-9]+.*SPI [0-9]+\\.[0-9]+.*Java 2.*"), result.out());
    }
}
