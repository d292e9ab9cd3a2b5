package dev.tandem.runtime.speculative;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.draft.DraftPlan.Shape;
import java.time.Duration;

/**
 * How far a strategy may guess.
 *
 * @param maxDepth longest path; the plan may allow less
 * @param maxNodes most guesses verified in one pass; the target's step may allow fewer
 * @param shape whether guesses may branch
 * @param deadline longest that one call to the strategy may take
 */
public record DraftOptions(int maxDepth, int maxNodes, Shape shape, Duration deadline) {
    /** Checks the numbers. */
    public DraftOptions {
        if (maxDepth < 1 || maxNodes < 1 || !deadline.isPositive()) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "drafts of depth " + maxDepth + ", " + maxNodes + " nodes and a deadline of " + deadline
                            + ": each must be at least 1");
        }
    }

    /** Chains of up to 16 guesses, 2 seconds. */
    public static DraftOptions defaults() {
        return new DraftOptions(16, 16, Shape.CHAIN, Duration.ofSeconds(2));
    }
}
