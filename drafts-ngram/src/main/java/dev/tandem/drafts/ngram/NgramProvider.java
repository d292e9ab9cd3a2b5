package dev.tandem.drafts.ngram;

import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftPlan.Cost;
import dev.tandem.spi.draft.DraftPlan.Cost.Growth;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.draft.DraftSession;
import java.util.List;

/** {@code ngram}: fits every target, loads nothing and shares nothing between sequences. */
public final class NgramProvider implements DraftProvider {
    private static final int MAX_DEPTH = 64;

    /** Called by the service loader. */
    public NgramProvider() {}

    @Override
    public String id() {
        return "ngram";
    }

    @Override
    public DraftPlan plan(DraftQuery query) {
        String strategy =
                "prompt look-up, matches of " + NgramSession.SHORTEST + " to " + NgramSession.LONGEST + " tokens";
        Cost cost = new Cost(0, NgramSession.BYTES_PER_TOKEN, Growth.FREE);
        return new DraftPlan.Fits(strategy, List.of(), false, false, DraftPlan.Shape.TREE, MAX_DEPTH, cost, List.of());
    }

    @Override
    public DraftModel open(DraftQuery query, DraftHost host) {
        return new DraftModel() {
            @Override
            public DraftSession newSession() {
                return new NgramSession();
            }

            @Override
            public void close() {}
        };
    }
}
