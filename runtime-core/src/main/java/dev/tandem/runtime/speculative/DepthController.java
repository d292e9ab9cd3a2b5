package dev.tandem.runtime.speculative;

/**
 * Chooses how many guesses a round verifies, none included: the number that gives the most expected tokens per measured
 * second. Only past rounds inform it, never a guess that it decides about, so it cannot bias what is accepted. Safe for
 * use by several threads.
 */
final class DepthController {
    private static final int FIRST_PROBE_AFTER = 4;
    private static final int LAST_PROBE_AFTER = 512;

    private final Acceptance acceptance;
    private final CostCurve cost;
    private final int most;
    private int choice;
    private int sinceProbe;
    private int probeAfter = FIRST_PROBE_AFTER;
    private boolean probeDeeper = true;

    /**
     * A controller that knows nothing.
     *
     * @param acceptance learns from the rounds
     * @param most guesses of a round
     */
    DepthController(Acceptance acceptance, int most) {
        this.acceptance = acceptance;
        this.cost = new CostCurve(most);
        this.most = most;
    }

    /**
     * How many guesses to ask for.
     *
     * @param room most that the next round has room for
     */
    synchronized int next(int room) {
        int limit = Math.min(room, most);
        if (limit == 0 || !cost.knows(0)) {
            return 0;
        }
        if (!cost.knows(1)) {
            return 1;
        }
        int best = best(limit);
        if (best != choice) {
            choice = best;
            probeAfter = FIRST_PROBE_AFTER;
            sinceProbe = 0;
            return best;
        }
        int probe = probe(limit);
        sinceProbe++;
        if (sinceProbe < probeAfter * Math.max(1, cost.nanos(probe) / cost.nanos(best))) {
            return best;
        }
        sinceProbe = 0;
        probeAfter = Math.min(2 * probeAfter, LAST_PROBE_AFTER);
        probeDeeper = !probeDeeper;
        return probe;
    }

    private int best(int limit) {
        int best = 0;
        double most = 1 / cost.nanos(0);
        for (int guesses = 1; guesses <= Math.min(limit, 2 * acceptance.trusted() + 1); guesses++) {
            double rate = acceptance.tokens(guesses) / cost.nanos(guesses);
            if (rate > most) {
                most = rate;
                best = guesses;
            }
        }
        return best;
    }

    /** Times change, and so does the text: one guess more and none at all are tried now and then, dear ones seldom. */
    private int probe(int limit) {
        return probeDeeper || choice == 0 ? Math.min(choice + 1, limit) : 0;
    }

    /**
     * A pass without guesses is over.
     *
     * @param nanos its time
     */
    synchronized void passed(long nanos) {
        cost.measured(0, nanos);
    }

    /**
     * A round is over.
     *
     * @param tree the guesses
     * @param path rows confirmed, from row 0 on
     * @param goesOn whether the token after the path was judged
     * @param nanos its time, that of guessing included
     */
    synchronized void passed(DraftTree tree, int[] path, boolean goesOn, long nanos) {
        acceptance.observe(tree, path, goesOn);
        cost.measured(tree.nodes(), nanos);
    }
}
