package dev.tandem.drafts.dflash;

import dev.tandem.spi.draft.DraftProposal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Guesses from independent per-position probabilities q_1, q_2, ... A beginning of d tokens has the probability
 * q_1(y_1) ... q_d(y_d); the expected number of accepted tokens of a tree is the sum over its nodes, so the best tree of
 * n nodes holds the n most probable beginnings (DDTree, arXiv 2604.12989).
 */
final class PrefixTree {
    private PrefixTree() {}

    /**
     * The best tokens per position, the most probable first.
     *
     * @param depth number of positions
     * @param best tokens per position
     * @param ids {@code [depth, best]}
     * @param logProbs {@code [depth, best]}
     */
    record Guesses(int depth, int best, int[] ids, float[] logProbs) {
        int id(int position, int rank) {
            return ids[position * best + rank];
        }

        float logProb(int position, int rank) {
            return logProbs[position * best + rank];
        }
    }

    /** The most probable token of each position. */
    static DraftProposal chain(Guesses guesses, int length) {
        int[] ids = new int[length];
        int[] parents = new int[length];
        float[] logProbs = new float[length];
        for (int i = 0; i < length; i++) {
            ids[i] = guesses.id(i, 0);
            parents[i] = i - 1;
            logProbs[i] = guesses.logProb(i, 0);
        }
        return new DraftProposal(ids, parents, logProbs);
    }

    /**
     * A beginning that may be added next.
     *
     * @param parent node, or -1
     * @param ranks of its tokens, position by position
     * @param score log-probability of all of it
     */
    private record Candidate(int parent, int[] ranks, double score) {
        /** Most probable first; then the shorter, then the one with the better tokens: a total order. */
        private static final Comparator<Candidate> ORDER = Comparator.comparingDouble((Candidate c) -> -c.score)
                .thenComparingInt(c -> c.ranks.length)
                .thenComparing(c -> c.ranks, Arrays::compare);

        int depth() {
            return ranks.length;
        }

        int rank() {
            return ranks[ranks.length - 1];
        }
    }

    /**
     * The most probable beginnings, parents before children.
     *
     * @param guesses log-probabilities descending in each position
     * @param most nodes
     */
    static DraftProposal mostProbable(Guesses guesses, int most) {
        List<Candidate> nodes = new ArrayList<>();
        PriorityQueue<Candidate> queue = new PriorityQueue<>(Candidate.ORDER);
        queue.add(new Candidate(-1, new int[] {0}, guesses.logProb(0, 0)));
        while (nodes.size() < most && !queue.isEmpty()) {
            Candidate next = queue.remove();
            int node = nodes.size();
            nodes.add(next);
            int position = next.depth() - 1;
            if (next.rank() + 1 < guesses.best()) {
                int[] ranks = next.ranks.clone();
                ranks[position]++;
                double own = guesses.logProb(position, next.rank());
                double sibling = guesses.logProb(position, next.rank() + 1);
                queue.add(new Candidate(next.parent, ranks, next.score - own + sibling));
            }
            if (next.depth() < guesses.depth()) {
                int[] ranks = Arrays.copyOf(next.ranks, next.depth() + 1);
                queue.add(new Candidate(node, ranks, next.score + guesses.logProb(position + 1, 0)));
            }
        }
        return proposal(guesses, nodes);
    }

    private static DraftProposal proposal(Guesses guesses, List<Candidate> nodes) {
        int[] ids = new int[nodes.size()];
        int[] parents = new int[nodes.size()];
        float[] logProbs = new float[nodes.size()];
        for (int i = 0; i < ids.length; i++) {
            Candidate node = nodes.get(i);
            ids[i] = guesses.id(node.depth() - 1, node.rank());
            parents[i] = node.parent;
            logProbs[i] = guesses.logProb(node.depth() - 1, node.rank());
        }
        return new DraftProposal(ids, parents, logProbs);
    }
}
