package dev.tandem.runtime.decode;

import dev.tandem.spi.backend.Rows;
import java.util.List;

/** Hears what a sequence keeps and drops, in order and without gaps. */
public interface CommitListener {
    /** Hears nothing. */
    CommitListener NONE = new CommitListener() {
        @Override
        public void onCommitted(Commit commit) {}

        @Override
        public void onTruncated(int length) {}
    };

    /**
     * Tokens were committed.
     *
     * @param commit the tokens and their hidden states
     */
    void onCommitted(Commit commit);

    /**
     * Tokens were dropped: the sequence was cut, or its state is built again from the first token on.
     *
     * @param length number of tokens that remain
     */
    void onTruncated(int length);

    /**
     * Tokens of one step.
     *
     * @param restored whether they were committed before and their state was lost
     * @param start position of the first
     * @param tokens ids
     * @param taps hidden states of all rows of the step, one per tap
     * @param rows which rows of each tap belong to the tokens
     */
    record Commit(boolean restored, int start, int[] tokens, List<Rows> taps, int[] rows) {}
}
