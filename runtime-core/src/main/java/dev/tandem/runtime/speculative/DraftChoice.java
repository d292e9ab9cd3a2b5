package dev.tandem.runtime.speculative;

import dev.tandem.runtime.plugin.LoadedProvider;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftProvider;

/**
 * A strategy that fits a target, with its checked plan.
 *
 * @param provider opens it
 * @param plan what it needs and offers
 * @param vocabulary number of the target's token ids
 */
public record DraftChoice(LoadedProvider<DraftProvider> provider, DraftPlan.Fits plan, int vocabulary)
        implements DraftOffer {
    @Override
    public String id() {
        return provider.id();
    }
}
