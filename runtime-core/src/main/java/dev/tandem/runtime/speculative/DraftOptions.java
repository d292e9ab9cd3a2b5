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
 * @param adaptive whether each round has as many guesses as pay, perhaps none; else as many as these bounds allow
 * @param deadline longest that one call to the strategy may take
 */
public record DraftOptions(int maxDepth, int maxNodes, Shape shape, boolean adaptive, Duration deadline) {
    /** Checks the numbers. */
    public DraftOptions {
        if (maxDepth < 1 || maxNodes < 1 || !deadline.isPositive()) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "drafts of depth " + maxDepth + ", " + maxNodes + " nodes and a deadline of " + deadline
                            + ": each must be at least 1");
        }
    }

    /** Trees of as many guesses as pay, up to 16; 2 seconds. */
    public static DraftOptions defaults() {
        return new DraftOptions(16, 16, Shape.TREE, true, Duration.ofSeconds(2));
    }
}
