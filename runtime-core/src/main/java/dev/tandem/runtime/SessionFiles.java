package dev.tandem.runtime;

import dev.tandem.runtime.decode.LiveSequence;
import dev.tandem.runtime.files.OutputFile;
import dev.tandem.runtime.sampling.SamplerMemory;
import dev.tandem.runtime.state.StateFile;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.graph.StateSpec;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Saves sequences to files and loads them again, for one model. Safe for use by several threads. */
final class SessionFiles {
    private final Supplier<StateKey> key;
    private final int vocabulary;

    /**
     * For a model.
     *
     * @param key made when it is first needed, since it takes all bytes of the model
     * @param vocabulary number of token ids
     */
    SessionFiles(Supplier<StateKey> key, int vocabulary) {
        this.key = key;
        this.vocabulary = vocabulary;
    }

    /**
     * A text and how it came about.
     *
     * @param tokens of which the sequence holds a beginning
     * @param chosen how many of them, at the end, were chosen
     * @param memory of the sampler that chose the last one
     */
    record Text(int[] tokens, int chosen, Optional<SamplerMemory> memory) {}

    void save(OutputFile file, LiveSequence sequence, Text text, String note) {
        if (text.tokens().length == 0) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "there is nothing to save", "Save after a prompt was run.");
        }
        StateKey own = key.get();
        try (Arena arena = Arena.ofConfined()) {
            int noteBytes = note.getBytes(StandardCharsets.UTF_8).length;
            StateFile.write(
                    file,
                    new StateFile.Contents(
                            own.header(
                                    text.tokens().length,
                                    text.chosen(),
                                    sequence.length(),
                                    noteBytes,
                                    text.memory().map(SamplerMemory::print).orElse("")),
                            text.tokens(),
                            note,
                            sequence.export(own.graph().states(), arena)));
        }
    }

    /** A loaded text, and what its program added. */
    record Loaded(Text text, String note) {}

    Loaded load(Path path, LiveSequence sequence) {
        StateKey own = key.get();
        List<StateSpec> slots = own.graph().states();
        try (Arena arena = Arena.ofConfined()) {
            StateFile.Contents contents = StateFile.read(path, header -> own.accept(path, header), arena);
            int[] tokens = contents.tokens();
            Optional<SamplerMemory> memory =
                    SamplerMemory.parse(contents.header().mirostat());
            boolean wrongMemory =
                    memory.isEmpty() && !contents.header().mirostat().isEmpty();
            if (wrongMemory || Arrays.stream(tokens).anyMatch(id -> id < 0 || id >= vocabulary)) {
                throw damaged(path, null);
            }
            int rows = contents.header().rows();
            try {
                sequence.restore(slots, contents.state(), Arrays.copyOf(tokens, rows));
            } catch (IllegalArgumentException e) {
                throw damaged(path, e);
            }
            return new Loaded(new Text(tokens, contents.header().chosen(), memory), contents.note());
        }
    }

    private static UsageException damaged(Path path, @Nullable Throwable cause) {
        return new UsageException(
                ErrorCode.FILE_CORRUPT,
                path + " is a damaged saved state: it holds values that no state has",
                "Save a new one with --save-state.",
                cause);
    }
}
