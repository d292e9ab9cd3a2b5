package dev.tandem.spi.draft;

/** Weights and executables of a strategy, shared by sequences. */
public interface DraftModel extends AutoCloseable {
    /**
     * Starts drafting for a sequence.
     *
     * @return a session that has heard nothing
     */
    DraftSession newSession();

    /** Frees weights and executables. May be called twice. */
    @Override
    void close();
}
