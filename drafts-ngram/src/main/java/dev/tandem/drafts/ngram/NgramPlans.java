package dev.tandem.drafts.ngram;

import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftPlan.Cost;
import dev.tandem.spi.draft.DraftPlan.Cost.Growth;
import dev.tandem.spi.draft.DraftSession;
import java.util.List;

/** What both providers say and open: they fit every target, load nothing and share nothing between sequences. */
final class NgramPlans {
    private static final int MAX_DEPTH = 64;

    private NgramPlans() {}

    static DraftPlan plan(DraftPlan.Shape shape) {
        String strategy =
                "prompt look-up, matches of " + NgramSession.SHORTEST + " to " + NgramSession.LONGEST + " tokens";
        Cost cost = new Cost(0, NgramSession.BYTES_PER_TOKEN, Growth.FREE);
        return new DraftPlan.Fits(strategy, List.of(), false, false, shape, MAX_DEPTH, cost, List.of());
    }

    /** A model whose sessions follow up to {@code places} earlier places at once. */
    static DraftModel model(int places) {
        return new DraftModel() {
            @Override
            public DraftSession newSession() {
                return new NgramSession(places);
            }

            @Override
            public void close() {}
        };
    }
}
