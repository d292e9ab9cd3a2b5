package dev.tandem.drafts.ngram;

import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;

/** {@code ngram-tree}: guesses the paths of up to three earlier places, as a tree. */
public final class NgramTreeProvider implements DraftProvider {
    private static final int PLACES = 3;

    /** Called by the service loader. */
    public NgramTreeProvider() {}

    @Override
    public String id() {
        return "ngram-tree";
    }

    @Override
    public DraftPlan plan(DraftQuery query) {
        return NgramPlans.plan(DraftPlan.Shape.TREE);
    }

    @Override
    public DraftModel open(DraftPlan.Fits plan, DraftHost host) {
        return NgramPlans.model(PLACES);
    }
}
