package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Programs of the system that tests use. */
final class Tools {
    private Tools() {}

    /** Skips the test where a program is missing, or fails it under {@code -Dtandem.tools.required=true}. */
    static void require(String tool) {
        boolean found = Arrays.stream(System.getenv("PATH").split(":"))
                .anyMatch(place -> Files.isExecutable(Path.of(place).resolve(tool)));
        if (Boolean.getBoolean("tandem.tools.required")) {
            assertTrue(found, "no " + tool + " here");
        }
        assumeTrue(found, "no " + tool + " here");
    }
}
