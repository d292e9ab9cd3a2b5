package dev.tandem.spi.draft;

/** Entry of a draft plugin, found by {@link java.util.ServiceLoader}; its public constructor does no work. */
public interface DraftProvider {
    /**
     * Name that users type.
     *
     * @return lower-case letters, digits and dashes, such as {@code ngram}
     */
    String id();

    /**
     * Says whether this strategy fits a target; data only, nothing is loaded.
     *
     * @param query the target, the files given for drafting, and limits
     * @return what it needs and offers, or why it does not fit
     */
    DraftPlan plan(DraftQuery query);

    /**
     * Loads what the plan said.
     *
     * @param query one for which {@link #plan} answers with {@link DraftPlan.Fits}; its files stay open while the model is
     * @param host weights and devices
     * @return a model, shared by sequences
     */
    DraftModel open(DraftQuery query, DraftHost host);
}
