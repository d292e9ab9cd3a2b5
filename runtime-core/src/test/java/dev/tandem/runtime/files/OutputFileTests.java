package dev.tandem.runtime.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFileTests {
    @TempDir
    Path folder;

    private List<Path> files() throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.toList();
        }
    }

    @Test
    void replacesAnEarlierResultAndLeavesNothingElse() throws IOException {
        Path target = Files.writeString(folder.resolve("result.txt"), "earlier");
        try (OutputFile file = OutputFile.prepare(target)) {
            file.write("later\n");
        }
        assertEquals("later\n", Files.readString(target));
        assertEquals(List.of(target), files());
    }

    @Test
    void saysThatAFolderOfTheKernelsTakesNoFiles() {
        assumeTrue(Files.isDirectory(Path.of("/proc/self")), "no such folder here");
        UsageException e = assertThrows(UsageException.class, () -> OutputFile.prepare(Path.of("/proc/x")));
        assertEquals("cannot write /proc/x: its folder takes no new files", e.getMessage());
    }

    @Test
    void keepsAnEarlierResultWhereNothingWasWritten() throws IOException {
        Path target = Files.writeString(folder.resolve("result.txt"), "earlier");
        OutputFile.prepare(target).close();

        assertEquals("earlier", Files.readString(target));
        assertEquals(List.of(target), files());
    }

    @Test
    void writesThroughALinkAndKeepsIt() throws IOException {
        Path real = Files.writeString(folder.resolve("real.txt"), "earlier");
        Path link = Files.createSymbolicLink(folder.resolve("link.txt"), real);
        try (OutputFile file = OutputFile.prepare(link)) {
            file.write("later");
        }
        assertTrue(Files.isSymbolicLink(link));
        assertEquals("later", Files.readString(real));
    }

    @Test
    void refusesAFolderAndAPathWithoutOne() {
        assertEquals("cannot write " + folder + ": is a directory", refusal(folder));
        Path orphan = folder.resolve("no").resolve("where");
        assertEquals("cannot write " + orphan + ": its folder does not exist", refusal(orphan));
    }

    private static String refusal(Path target) {
        UsageException failure = assertThrows(UsageException.class, () -> OutputFile.prepare(target));
        assertEquals(ErrorCode.OUTPUT_FAILED, failure.code());
        return String.valueOf(failure.getMessage());
    }

    @Test
    void namesAFullDeviceAndDoesNotReplaceIt() {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "this system has no /dev/full");
        try (OutputFile file = OutputFile.prepare(full)) {
            UsageException failure = assertThrows(UsageException.class, () -> file.write("text"));
            assertEquals(ErrorCode.OUTPUT_FAILED, failure.code());
            assertTrue(String.valueOf(failure.getMessage()).startsWith("cannot write /dev/full: "));
        }
        assertTrue(Files.exists(full) && !Files.isRegularFile(full));
    }
}
