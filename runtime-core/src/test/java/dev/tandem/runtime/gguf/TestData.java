package dev.tandem.runtime.gguf;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the golden data that lies beside the repository. */
final class TestData {
    private TestData() {}

    /** A folder of golden data; without it the test is skipped, or fails where the data is required. */
    static Path folder(String name) {
        Path folder = Path.of(System.getProperty("tandem.testdata", "testdata")).resolve(name);
        boolean present = Files.isDirectory(folder);
        String message = "golden data " + folder + " is absent";
        if (Boolean.getBoolean("tandem.testdata.required")) {
            assertTrue(present, message);
        }
        assumeTrue(present, message);
        return folder;
    }
}
