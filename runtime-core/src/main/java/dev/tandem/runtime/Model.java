package dev.tandem.runtime;

import dev.tandem.runtime.decode.PlainStepper;
import dev.tandem.runtime.decode.Scorer;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.placement.Placement;
import dev.tandem.runtime.select.BackendChoice;
import dev.tandem.runtime.speculative.DraftChoice;
import dev.tandem.runtime.speculative.DraftOptions;
import dev.tandem.runtime.speculative.DraftQueries;
import dev.tandem.runtime.speculative.EngineHost;
import dev.tandem.runtime.speculative.LoadedDraft;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.draft.DraftPlan.HiddenTap;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.model.ModelView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A loaded model. Safe for use by several threads; sessions must be closed before it. */
public final class Model implements AutoCloseable {
    private final GgufFile file;
    private final TargetBuilder builder;
    private final Tokenizer tokenizer;
    private final TargetSwitch targets;
    private final BackendChoice choice;
    private final long loadNanos;
    private @Nullable StateKey stateKey;

    Model(
            GgufFile file,
            TargetBuilder builder,
            Tokenizer tokenizer,
            TargetSwitch targets,
            BackendChoice choice,
            long loadNanos) {
        this.file = file;
        this.builder = builder;
        this.tokenizer = tokenizer;
        this.targets = targets;
        this.choice = choice;
        this.loadNanos = loadNanos;
    }

    /** The open file. */
    public GgufFile file() {
        return file;
    }

    /** The model as its architecture understood it. */
    public LanguageModel language() {
        return builder.language();
    }

    /** Text to tokens and back. */
    public Tokenizer tokenizer() {
        return tokenizer;
    }

    /** Most positions of a sequence. */
    public int contextRows() {
        return targets.current().contextRows();
    }

    /** How it was loaded. */
    public ModelOptions options() {
        return builder.options();
    }

    /** The backend in use, and why. */
    public BackendChoice backend() {
        return choice;
    }

    /** Which node runs where; another answer after the loss of a device. */
    public Placement placement() {
        return targets.loaded().site().placement();
    }

    /** Time from opening the file to the compiled graph. */
    public long loadNanos() {
        return loadNanos;
    }

    /** Ids of the devices that run the model now. */
    public String devices() {
        return targets.current().devices();
    }

    /** What does not run where the user may think: ops on the reference backend, one line each. */
    public List<String> fallbacks() {
        List<String> lines = new ArrayList<>();
        for (Placement.Refused refused : placement().refused()) {
            lines.add(refused.label() + " (" + refused.op() + ") on the reference backend: " + refused.reason());
        }
        placement().moved().ifPresent(lines::add);
        return List.copyOf(lines);
    }

    /** What the user should hear once: a slow path, an alias, a context beyond the training. */
    public List<String> notices() {
        List<String> notices = new ArrayList<>(choice.notes());
        notices.addAll(choice.device().notices());
        int trained = language().shape().contextLength();
        if (contextRows() > trained) {
            notices.add("a context of " + contextRows() + " tokens is longer than the " + trained
                    + " that the model was trained for; past those its answers may make no sense");
        }
        return List.copyOf(notices);
    }

    /**
     * Starts a sequence.
     *
     * @return an empty session
     */
    public Session newSession() {
        return new Session(targets, tokenizer, PlainStepper::new, sessionFiles());
    }

    /**
     * Starts a sequence for which a draft strategy guesses ahead; its tokens are those of {@link #newSession()}.
     *
     * @param draft a strategy opened for this model, to be closed after the session
     * @param options how far it may go
     * @return an empty session
     */
    public Session newSession(LoadedDraft draft, DraftOptions options) {
        return new Session(draft.targets(), tokenizer, sequence -> draft.stepper(sequence, options), sessionFiles());
    }

    private SessionFiles sessionFiles() {
        return new SessionFiles(this::stateKey, tokenizer.vocabularySize());
    }

    private synchronized StateKey stateKey() {
        StateKey known = stateKey;
        if (known == null) {
            known = StateKey.of(file, options(), builder.forward(List.of()), contextRows());
            stateKey = known;
        }
        return known;
    }

    /**
     * What draft strategies are asked about this model.
     *
     * @param files further files given for drafting, in the user's order
     */
    public DraftQuery draftQuery(List<ModelView> files) {
        long freeBytes = targets.loaded().site().chosen().memory().freeBytes();
        return DraftQueries.of(file, language(), files, contextRows(), builder.stepRows(), freeBytes);
    }

    /**
     * Loads a draft strategy for this model.
     *
     * @param choice a plan made for {@link #draftQuery}
     * @return the strategy, to be closed after the sessions that use it and before this model
     * @throws dev.tandem.spi.PluginException where the strategy fails
     */
    public LoadedDraft openDraft(DraftChoice choice) {
        EngineHost host =
                new EngineHost(choice.plan(), language(), targets.loaded().site(), builder.lane());
        List<HiddenTap> taps = choice.plan().taps();
        if (taps.isEmpty()) {
            return LoadedDraft.open(choice, host, targets, host::close);
        }
        TappedTargets tapped = new TappedTargets(targets, builder, taps);
        return LoadedDraft.open(choice, host, tapped, () -> {
            host.close();
            tapped.close();
        });
    }

    /**
     * Computes losses of texts.
     *
     * @return a scorer over this model
     */
    public Scorer scorer() {
        return new Scorer(targets.current());
    }

    /** Frees weights and the file. May be called twice. */
    @Override
    public void close() {
        targets.close();
        file.close();
    }
}
