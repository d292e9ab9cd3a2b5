package dev.tandem.cli;

import dev.tandem.runtime.synthetic.SyntheticModel;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file with random weights; closing it removes one that nobody asked to keep.
 *
 * @param file the model
 * @param kept whether it stays
 */
record SyntheticFile(Path file, boolean kept) implements AutoCloseable {
    /** Any other would do; the same one makes results comparable. */
    private static final long SEED = 1;

    /**
     * Writes the model, unless it is there.
     *
     * @param name shape and type
     * @param target where to keep it; null for a temporary file
     * @throws UsageException where there is no such model, or it cannot be written
     */
    static SyntheticFile write(Console console, String name, @Nullable Path target) {
        SyntheticModel model = SyntheticModel.of(name);
        if (target != null && Files.exists(target)) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    target + " is there already",
                    "Leave out --synthetic to measure it, or name another file.");
        }
        SyntheticFile made = new SyntheticFile(target == null ? temporary() : target, target != null);
        boolean complete = false;
        try (Progress progress = Progress.start(console, "writing " + model.name(), model.bytes())) {
            model.write(made.file, SEED, progress::at);
            complete = true;
            return made;
        } finally {
            if (!complete) {
                made.close();
            }
        }
    }

    private static Path temporary() {
        try {
            return Files.createTempFile("tandem-synthetic", ".gguf");
        } catch (IOException e) {
            throw new UsageException(
                    ErrorCode.OUTPUT_FAILED,
                    "there is no room for a temporary file: " + e.getMessage(),
                    "Name a file with --model.",
                    e);
        }
    }

    @Override
    public void close() {
        if (!kept) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
