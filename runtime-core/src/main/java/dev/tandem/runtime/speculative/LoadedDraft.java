package dev.tandem.runtime.speculative;

import dev.tandem.runtime.decode.LiveSequence;
import dev.tandem.runtime.decode.Stepper;
import dev.tandem.runtime.decode.TargetSource;
import dev.tandem.runtime.plugin.Faults;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.PluginException;
import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftPlan.Shape;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A loaded strategy, shared by sessions, which must be closed before it. Safe for use by several threads. */
public final class LoadedDraft implements AutoCloseable {
    private static final Duration CLOSING_DEADLINE = Duration.ofSeconds(2);

    private final DraftChoice choice;
    private final DraftModel model;
    private final TargetSource targets;
    private final Runnable closing;
    private final Map<DraftOptions, DepthController> controllers = new HashMap<>();
    private boolean closed;

    private LoadedDraft(DraftChoice choice, DraftModel model, TargetSource targets, Runnable closing) {
        this.choice = choice;
        this.model = model;
        this.targets = targets;
        this.closing = closing;
    }

    /**
     * Loads what a plan said.
     *
     * @param choice a checked plan
     * @param host weights and devices for it
     * @param targets give the hidden states of the plan
     * @param closing frees the host and the targets, after the strategy
     * @throws PluginException where the strategy fails
     */
    public static LoadedDraft open(DraftChoice choice, DraftHost host, TargetSource targets, Runnable closing) {
        DraftModel model;
        try {
            model = choice.provider().provider().open(choice.query(), host);
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            closing.run();
            throw fault(choice, "open threw " + Faults.describe(e), e);
        }
        if (model == null) {
            closing.run();
            throw fault(choice, "open answered nothing", null);
        }
        return new LoadedDraft(choice, model, targets, closing);
    }

    private static PluginException fault(DraftChoice choice, String what, @Nullable Throwable cause) {
        String place = choice.provider().origin().place();
        return new PluginException(
                ErrorCode.PLUGIN_FAULT, "draft strategy " + choice.id() + " (" + place + "): " + what, null, cause);
    }

    /** The id that users type. */
    public String id() {
        return choice.id();
    }

    /** What the strategy said of itself. */
    public DraftPlan.Fits plan() {
        return choice.plan();
    }

    /** Targets whose steps give the hidden states of the plan. */
    public TargetSource targets() {
        return targets;
    }

    /**
     * Guesses ahead for a sequence.
     *
     * @param sequence of the target that the plan was made for
     * @param options bounds
     */
    public Stepper stepper(LiveSequence sequence, DraftOptions options) {
        Drafter drafter = new Drafter(id(), model, choice.query().shape().vocabulary(), options.deadline());
        return new SpeculativeStepper(sequence, drafter, options, controller(options), plan());
    }

    /** One for all sessions with the same bounds: what was learned serves the next session too. */
    private synchronized @Nullable DepthController controller(DraftOptions options) {
        if (!options.adaptive()) {
            return null;
        }
        return controllers.computeIfAbsent(options, bounds -> {
            boolean chain = bounds.shape() == Shape.CHAIN;
            int most = chain
                    ? Math.min(bounds.maxNodes(), Math.min(bounds.maxDepth(), plan().maxDepth()))
                    : bounds.maxNodes();
            return new DepthController(chain ? new ChainAcceptance(most) : new TreeAcceptance(most), most);
        });
    }

    /**
     * Frees its weights. May be called twice. A strategy that fails to is given up silently: everything that it was
     * asked for is done.
     */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            new DraftThread(id(), CLOSING_DEADLINE).quit("close", model::close);
            closing.run();
        }
    }
}
