package dev.tandem.runtime.speculative;

/** What an installed strategy says of a target. */
public sealed interface DraftOffer permits DraftChoice, DraftOffer.Unfit {
    /** The strategy that users name. */
    String id();

    /**
     * The strategy cannot be used.
     *
     * @param id of the strategy
     * @param reason with both numbers where two disagree
     * @param remedy what the user can do
     * @param faulty whether the plugin is to blame
     */
    record Unfit(String id, String reason, String remedy, boolean faulty) implements DraftOffer {}
}
