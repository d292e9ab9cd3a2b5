package dev.tandem.drafts.ngram;

import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;

/** {@code ngram}: guesses one path, that of the newest earlier place with the longest match. */
public final class NgramProvider implements DraftProvider {
    /** Called by the service loader. */
    public NgramProvider() {}

    @Override
    public String id() {
        return "ngram";
    }

    @Override
    public DraftPlan plan(DraftQuery query) {
        return NgramPlans.plan(DraftPlan.Shape.CHAIN);
    }

    @Override
    public DraftModel open(DraftPlan.Fits plan, DraftHost host) {
        return NgramPlans.model(1);
    }
}
