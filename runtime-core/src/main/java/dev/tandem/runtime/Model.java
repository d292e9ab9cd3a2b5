package dev.tandem.runtime;

import dev.tandem.runtime.decode.Scorer;
import dev.tandem.runtime.decode.Target;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.placement.Placement;
import dev.tandem.runtime.select.BackendChoice;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.WeightSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A loaded model. Safe for use by several threads; sessions must be closed before it. */
public final class Model implements AutoCloseable {
    private final GgufFile file;
    private final LanguageModel language;
    private final Tokenizer tokenizer;
    private final Target target;
    private final BackendChoice choice;
    private final Placement placement;
    private final Map<Backend, List<WeightSet>> weights;
    private final ModelOptions options;
    private final long loadNanos;

    Model(
            GgufFile file,
            LanguageModel language,
            Tokenizer tokenizer,
            Target target,
            BackendChoice choice,
            Placement placement,
            Map<Backend, List<WeightSet>> weights,
            ModelOptions options,
            long loadNanos) {
        this.file = file;
        this.language = language;
        this.tokenizer = tokenizer;
        this.target = target;
        this.choice = choice;
        this.placement = placement;
        this.weights = weights;
        this.options = options;
        this.loadNanos = loadNanos;
    }

    /** The open file. */
    public GgufFile file() {
        return file;
    }

    /** The model as its architecture understood it. */
    public LanguageModel language() {
        return language;
    }

    /** Text to tokens and back. */
    public Tokenizer tokenizer() {
        return tokenizer;
    }

    /** Most positions of a sequence. */
    public int contextRows() {
        return target.contextRows();
    }

    /** How it was loaded. */
    public ModelOptions options() {
        return options;
    }

    /** The backend in use, and why. */
    public BackendChoice backend() {
        return choice;
    }

    /** Which node runs where. */
    public Placement placement() {
        return placement;
    }

    /** Time from opening the file to the compiled graph. */
    public long loadNanos() {
        return loadNanos;
    }

    /** What does not run where the user may think: ops on the reference backend, one line each. */
    public List<String> fallbacks() {
        List<String> lines = new ArrayList<>();
        for (Placement.Refused refused : placement.refused()) {
            lines.add(refused.label() + " (" + refused.op() + ") on the reference backend: " + refused.reason());
        }
        placement.moved().ifPresent(lines::add);
        return List.copyOf(lines);
    }

    /** What the user should hear once: a slow path, an alias. */
    public List<String> notices() {
        List<String> notices = new ArrayList<>(choice.notes());
        notices.addAll(choice.device().notices());
        return List.copyOf(notices);
    }

    /**
     * Starts a sequence.
     *
     * @return an empty session
     */
    public Session newSession() {
        return new Session(target, tokenizer);
    }

    /**
     * Computes losses of texts.
     *
     * @return a scorer over this model
     */
    public Scorer scorer() {
        return new Scorer(target);
    }

    /** Frees weights and the file. May be called twice. */
    @Override
    public void close() {
        target.close();
        weights.values().forEach(sets -> sets.forEach(WeightSet::close));
        file.close();
    }
}
