package dev.tandem.runtime.speculative;

import dev.tandem.runtime.plugin.LoadedProvider;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;

/**
 * A strategy that fits a target, with its checked plan.
 *
 * @param provider opens it
 * @param query what it was asked
 * @param plan what it needs and offers
 */
public record DraftChoice(LoadedProvider<DraftProvider> provider, DraftQuery query, DraftPlan.Fits plan)
        implements DraftOffer {
    @Override
    public String id() {
        return provider.id();
    }
}
