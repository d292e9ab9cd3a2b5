package dev.tandem.cli;

import dev.tandem.runtime.Model;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.speculative.DraftChoice;
import dev.tandem.runtime.speculative.DraftOptions;
import dev.tandem.runtime.speculative.DraftSelector;
import dev.tandem.runtime.speculative.LoadedDraft;
import dev.tandem.spi.draft.DraftQuery;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The strategy that the command line asks for, opened for a model; or none. */
final class Drafting implements AutoCloseable {
    /** Longest that a strategy may think about its plan. */
    static final Duration PLANNING = Duration.ofSeconds(10);

    private final Model model;
    private final List<GgufFile> files;
    private final DraftOptions options;
    private final @Nullable LoadedDraft draft;

    private Drafting(Model model, List<GgufFile> files, DraftOptions options, @Nullable LoadedDraft draft) {
        this.model = model;
        this.files = files;
        this.options = options;
        this.draft = draft;
    }

    /**
     * Chooses and loads.
     *
     * @throws dev.tandem.spi.UsageException where the strategy named is not there or does not fit
     * @throws dev.tandem.spi.PluginException where it fails
     */
    static Drafting open(Context context, LoadedModel loaded, DraftArguments arguments, ModelChoice target) {
        Model model = loaded.model();
        DraftOptions options = arguments.toOptions();
        if (arguments.strategy().equals(DraftArguments.NONE)) {
            return new Drafting(model, List.of(), options, null);
        }
        List<GgufFile> files = arguments.open(context.installation(), target);
        try {
            DraftSelector selector = new DraftSelector(loaded.engine().plugins().drafts(), PLANNING);
            DraftQuery query = model.draftQuery(List.copyOf(files));
            Optional<DraftChoice> choice = arguments.strategy().equals(DraftArguments.AUTO)
                    ? selector.best(query)
                    : Optional.of(selector.select(arguments.strategy(), query));
            if (choice.isEmpty()) {
                context.console().warn("no draft strategy fits this model; 'tandem drafts' says why");
                return new Drafting(model, files, options, null);
            }
            return new Drafting(model, files, options, model.openDraft(choice.get()));
        } catch (RuntimeException | Error e) {
            files.forEach(GgufFile::close);
            throw e;
        }
    }

    /** Whether a strategy guesses. */
    boolean active() {
        return draft != null;
    }

    /** The bounds that the command line gave. */
    DraftOptions options() {
        return options;
    }

    /** A session that guesses within other bounds; a strategy must be active. */
    Session newSession(DraftOptions bounds) {
        return model.newSession(Objects.requireNonNull(draft, "no strategy"), bounds);
    }

    /** A session of the model, guessing ahead where a strategy was asked for. */
    Session newSession() {
        return draft == null ? model.newSession() : model.newSession(draft, options);
    }

    @Override
    public void close() {
        if (draft != null) {
            draft.close();
        }
        files.forEach(GgufFile::close);
    }
}
