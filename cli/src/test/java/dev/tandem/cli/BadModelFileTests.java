package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BadModelFileTests {
    @TempDir
    Path folder;

    private void assertRefused(Path file, String because) {
        for (List<String> command :
                List.of(List.of("run", "-m", file.toString(), "x"), List.of("inspect", file.toString()))) {
            CliRun.Result result = CliRun.tandem(command.toArray(String[]::new));
            assertAll(
                    () -> assertEquals(3, result.exitCode(), result.err()),
                    () -> assertEquals("", result.out()),
                    () -> assertTrue(result.messages().getFirst().startsWith("tandem: " + file), result.err()),
                    () -> assertTrue(result.err().contains(because), result.err()),
                    () -> assertFalse(result.err().contains("\tat "), result.err()),
                    () -> assertEquals(2, result.messages().size(), result.err()));
        }
    }

    @Test
    void aMissingFileIsRefused() {
        assertRefused(folder.resolve("missing.gguf"), "no such file");
    }

    @Test
    void aFolderIsRefused() {
        assertRefused(folder, "directory");
    }

    @Test
    void anEmptyFileIsRefused() throws IOException {
        assertRefused(Files.createFile(folder.resolve("empty.gguf")), "empty");
    }

    @Test
    void aTextFileIsRefused() throws IOException {
        assertRefused(Files.writeString(folder.resolve("text.gguf"), "once upon a time there was a file"), "magic");
    }

    @Test
    void aTruncatedFileIsRefusedNamingTheTensor() throws IOException {
        byte[] whole = Files.readAllBytes(Path.of(CliRun.tinyModel()));
        Path file = Files.write(folder.resolve("cut.gguf"), Arrays.copyOf(whole, whole.length / 2));
        assertRefused(file, "tensor '");
    }

    @Test
    void anUnreadableFileIsRefused() throws IOException {
        Path file = Files.copy(Path.of(CliRun.tinyModel()), folder.resolve("secret.gguf"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("-w-------"));
        assumeFalse(Files.isReadable(file), "this user may read every file");
        assertRefused(file, "permission");
    }

    @Test
    void aPromptLongerThanTheContextIsRefusedWithBothLengths() {
        CliRun.Result result =
                CliRun.tandem("run", "-m", CliRun.tinyModel(), "--ctx", "8", "public static int sum(int[] v)");

        assertEquals(2, result.exitCode());
        assertTrue(
                result.messages().getFirst().matches("tandem: the prompt has [0-9]+ tokens, but the context holds 8"),
                result.err());
    }

    @Test
    void anEmptyPromptIsRefused() {
        CliRun.Result result = CliRun.tandem("run", "-m", CliRun.tinyModel(), "");

        assertEquals(2, result.exitCode());
        assertEquals("tandem: the prompt is empty", result.messages().getFirst());
    }

    @Test
    void aBinaryFileIsNoPrompt() {
        CliRun.Result result = CliRun.tandem("run", "-m", CliRun.tinyModel(), "-f", CliRun.tinyModel());

        assertEquals(2, result.exitCode());
        assertTrue(result.err().contains("is no UTF-8 text"), result.err());
    }
}
