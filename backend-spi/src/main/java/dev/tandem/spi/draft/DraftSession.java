package dev.tandem.spi.draft;

/** Drafting for one sequence; called by one thread at a time. */
public interface DraftSession extends AutoCloseable {
    /**
     * Hears committed tokens, in order and without gaps, also during prefill and while parked.
     *
     * @param run the tokens and the tapped states
     */
    void onCommitted(CommittedRun run);

    /**
     * Guesses what follows.
     *
     * @param request the current token and the bounds
     * @return nodes, or {@link DraftProposal#NONE}
     */
    DraftProposal propose(ProposeRequest request);

    /**
     * Hears what became of the last proposal. The default does nothing.
     *
     * @param verdict the accepted nodes and the target's own next token
     */
    default void onVerified(Verdict verdict) {}

    /**
     * Forgets everything from a position on: the context was cut, or state is rebuilt (position 0).
     *
     * @param position number of committed tokens that remain
     */
    void truncate(int position);

    /** Frees the session's memory. May be called twice. */
    @Override
    void close();
}
