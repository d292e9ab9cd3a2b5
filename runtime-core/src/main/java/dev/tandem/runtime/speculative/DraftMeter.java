package dev.tandem.runtime.speculative;

import dev.tandem.runtime.decode.DraftStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Counts what becomes of guesses during one generation. */
final class DraftMeter {
    private final List<DraftStatistics.Depth> depths = new ArrayList<>();
    private int passes;
    private int rounds;
    private int tokens;
    private int drafted;
    private int accepted;
    private long draftNanos;
    private long verifyNanos;
    private long commitNanos;

    void drafting(long nanos) {
        draftNanos += nanos;
    }

    void committing(long nanos) {
        commitNanos += nanos;
    }

    /**
     * A pass of the target is over.
     *
     * @param chosen tokens that it gave
     * @param nanos its time
     */
    void pass(int chosen, long nanos) {
        passes++;
        tokens += chosen;
        verifyNanos += nanos;
    }

    /**
     * That pass had guesses.
     *
     * @param tree the guesses
     * @param path rows confirmed, from row 0 on
     * @param goesOn whether the token after the path was judged; else the generation ended at it
     */
    void round(DraftTree tree, int[] path, boolean goesOn) {
        rounds++;
        drafted += tree.nodes();
        accepted += path.length - 1;
        boolean missed = goesOn && tree.hasChildren(path[path.length - 1]);
        for (int depth = 1; depth <= tree.depth(); depth++) {
            boolean confirmed = depth < path.length;
            boolean reached = confirmed || (missed && depth == path.length);
            count(depth - 1, reached, confirmed);
        }
    }

    private void count(int index, boolean reached, boolean confirmed) {
        if (index == depths.size()) {
            depths.add(new DraftStatistics.Depth(0, 0, 0));
        }
        DraftStatistics.Depth old = depths.get(index);
        depths.set(
                index,
                new DraftStatistics.Depth(
                        old.offered() + 1, old.reached() + (reached ? 1 : 0), old.accepted() + (confirmed ? 1 : 0)));
    }

    DraftStatistics statistics(String strategy, Optional<String> parked) {
        return new DraftStatistics(
                strategy,
                parked,
                passes,
                rounds,
                tokens,
                drafted,
                accepted,
                depths,
                draftNanos,
                verifyNanos,
                commitNanos);
    }
}
