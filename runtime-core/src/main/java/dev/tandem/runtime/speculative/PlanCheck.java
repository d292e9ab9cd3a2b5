package dev.tandem.runtime.speculative;

import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftPlan.HiddenTap;
import dev.tandem.spi.draft.DraftPlan.HiddenTap.Stage;
import dev.tandem.spi.draft.DraftQuery;
import java.util.Optional;

/** Checks a plan against the target before anything of the strategy is loaded. */
final class PlanCheck {
    private PlanCheck() {}

    /** What contradicts the target or itself: the plugin's fault. */
    static Optional<String> contradiction(DraftPlan.Fits plan, DraftQuery.TargetShape shape) {
        if (plan.shape() == null || plan.cost() == null || plan.strategy() == null) {
            return Optional.of("the plan leaves its name, shape or cost out");
        }
        if (plan.maxDepth() < 1) {
            return Optional.of("the plan has depth " + plan.maxDepth() + ", but must have at least 1");
        }
        for (HiddenTap tap : plan.taps()) {
            boolean layered = tap.stage() == Stage.LAYER_OUTPUT;
            if (layered && (tap.layer() < 0 || tap.layer() >= shape.layers())) {
                return Optional.of("the plan taps layer " + tap.layer() + ", but the target has layers 0 to "
                        + (shape.layers() - 1));
            }
        }
        return Optional.empty();
    }
}
