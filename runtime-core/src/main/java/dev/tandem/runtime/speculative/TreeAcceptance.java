package dev.tandem.runtime.speculative;

/**
 * Per node in the order in which the strategy gives them, the share of rounds in which it was on the accepted path. A
 * strategy gives its best guesses first, so a smaller tree is a beginning of a larger one.
 */
final class TreeAcceptance implements Acceptance {
    private static final double RATE = 0.05;
    private static final int BELIEVED_AFTER = 6;
    private static final double PRIOR = 0.6;
    /** How much less the next node is thought to bring than the last known one. */
    private static final double DECLINE = 0.8;

    private final double[] accepted;
    private final int[] seen;

    TreeAcceptance(int maxNodes) {
        this.accepted = new double[maxNodes];
        this.seen = new int[maxNodes];
    }

    @Override
    public double tokens(int guesses) {
        int trusted = trusted();
        double expected = 1;
        double last = PRIOR / DECLINE;
        for (int i = 0; i < guesses; i++) {
            last = i < trusted ? accepted[i] : last * DECLINE;
            expected += last;
        }
        return expected;
    }

    @Override
    public int trusted() {
        int nodes = 0;
        while (nodes < seen.length && seen[nodes] >= BELIEVED_AFTER) {
            nodes++;
        }
        return nodes;
    }

    @Override
    public void observe(DraftTree tree, int[] path, boolean goesOn) {
        if (!goesOn) {
            return; // what came after the end would have been judged unfairly
        }
        boolean[] onPath = new boolean[tree.rows()];
        for (int row : path) {
            onPath[row] = true;
        }
        for (int node = 0; node < tree.nodes(); node++) {
            double rate = Math.max(RATE, 1.0 / ++seen[node]);
            accepted[node] += rate * ((onPath[node + 1] ? 1 : 0) - accepted[node]);
        }
    }
}
