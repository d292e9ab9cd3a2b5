package dev.tandem.spi.draft;

import dev.tandem.spi.backend.Rows;
import java.util.List;

/**
 * Tokens that the target committed in one step. The arrays belong to whoever hears it.
 *
 * @param phase why
 * @param start position of the first
 * @param tokens ids
 * @param taps one per tap of the plan, in its order: all rows of the step; valid during the call
 * @param rows which rows of each tap belong to the tokens
 */
public record CommittedRun(Phase phase, int start, int[] tokens, List<Rows> taps, int[] rows) {
    /** Copies the list. */
    public CommittedRun {
        taps = List.copyOf(taps);
    }

    /** Why tokens were committed. */
    public enum Phase {
        /** They are part of the prompt. */
        PREFILL,
        /** They were generated. */
        DECODE,
        /** State is rebuilt from the history. */
        RESTORE
    }
}
