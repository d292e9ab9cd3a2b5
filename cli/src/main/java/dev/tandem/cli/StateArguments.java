package dev.tandem.cli;

import dev.tandem.runtime.SavedText;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.files.OutputFile;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Files by which a text goes on in another process. */
final class StateArguments {
    /** Stands above these options on a help page. */
    static final String SECTION = "Going on later:";

    @Option(
            names = "--save-state",
            paramLabel = "FILE",
            description = "When the text has ended, write its tokens and the state of the model to a file.")
    @Nullable
    Path save;

    @Option(
            names = "--load-state",
            paramLabel = "FILE",
            description = "Go on from such a file, with the same tokens as without the break. What a prompt shares with"
                    + " it is not run again. Needs the same model, precision and type of keys and values.")
    @Nullable
    Path load;

    /**
     * The file to write, opened before any work is done for it; empty where nothing is saved.
     *
     * @throws dev.tandem.spi.UsageException where it cannot be written
     */
    Optional<OutputFile> prepare() {
        return Optional.ofNullable(save).map(OutputFile::prepare);
    }

    /**
     * Loads what is to be gone on with.
     *
     * @throws dev.tandem.spi.UsageException where the file cannot be used with this session
     */
    Optional<SavedText> load(Session session, Console console) {
        Optional<SavedText> loaded = Optional.ofNullable(load).map(session::load);
        loaded.filter(text -> text.ready() == 0)
                .ifPresent(text -> console.warn("the draft strategy listens to hidden states, which a saved state does"
                        + " not hold: its tokens are run again"));
        return loaded;
    }
}
