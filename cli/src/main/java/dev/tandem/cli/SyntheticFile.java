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
        try {
            Path file = target == null ? Files.createTempFile("tandem-synthetic", ".gguf") : target;
            SyntheticFile made = new SyntheticFile(file, target != null);
            try (Progress progress = Progress.start(console, "writing " + model.name(), model.bytes())) {
                model.write(file, SEED, progress::at);
            } catch (IOException e) {
                made.close();
                throw e;
            }
            return made;
        } catch (IOException e) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "the synthetic model was not written: " + e.getMessage(),
                    Text.bytes(model.bytes()) + " are needed; name a file with --model where there is room.",
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
