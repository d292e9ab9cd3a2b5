package dev.tandem.runtime.speculative;

import java.util.Arrays;

/** Per depth, the share of rounds in which the guess came true, given that all before it did. */
final class ChainAcceptance implements Acceptance {
    private static final double RATE = 0.1;
    private static final int BELIEVED_AFTER = 6;
    /** Assumed before anything is known: optimistic, so that depths are tried. */
    private static final double PRIOR = 0.8;

    private final double[] accepted;
    private final int[] reached;

    ChainAcceptance(int maxDepth) {
        this.accepted = new double[maxDepth];
        this.reached = new int[maxDepth];
        Arrays.fill(accepted, PRIOR);
    }

    @Override
    public double tokens(int guesses) {
        int trusted = trusted();
        double deepest = trusted == 0 ? PRIOR : accepted[trusted - 1];
        double expected = 1;
        double path = 1;
        for (int i = 0; i < guesses; i++) {
            path *= i < trusted ? accepted[i] : deepest;
            expected += path;
        }
        return expected;
    }

    @Override
    public int trusted() {
        int depth = 0;
        while (depth < reached.length && reached[depth] >= BELIEVED_AFTER) {
            depth++;
        }
        return depth;
    }

    @Override
    public void observe(DraftTree tree, int[] path, boolean goesOn) {
        for (int i = 0; i < path.length - 1; i++) {
            count(i, 1);
        }
        if (goesOn && tree.hasChildren(path[path.length - 1])) {
            count(path.length - 1, 0);
        }
    }

    private void count(int depth, double came) {
        // The first ones weigh alike, so that the prior is soon forgotten.
        double rate = Math.max(RATE, 1.0 / ++reached[depth]);
        accepted[depth] += rate * (came - accepted[depth]);
    }
}
