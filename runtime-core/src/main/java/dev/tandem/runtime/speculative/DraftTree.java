package dev.tandem.runtime.speculative;

import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.ProposeRequest;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * The rows of one verifying pass: row 0 is the current token, row {@code i + 1} is node {@code i} of the proposal.
 *
 * @param tokens one per row
 * @param parents per row, an earlier row; -1 for row 0
 * @param depths per row, its distance from row 0
 */
record DraftTree(int[] tokens, int[] parents, int[] depths) {
    /**
     * Checks a proposal, which may hold anything, and puts it below the current token.
     *
     * @param request what was asked for
     * @param vocabulary number of token ids
     * @param proposal not yet trusted; copied
     * @throws IllegalArgumentException where it breaks a rule of {@link DraftProposal}; the message says which
     */
    static DraftTree of(ProposeRequest request, int vocabulary, DraftProposal proposal) {
        requireLengths(request, proposal);
        int rows = proposal.size() + 1;
        DraftTree tree = new DraftTree(new int[rows], new int[rows], new int[rows]);
        tree.tokens[0] = request.token();
        tree.parents[0] = -1;
        Set<Long> edges = new HashSet<>();
        for (int i = 0; i < proposal.size(); i++) {
            int token = proposal.tokens()[i];
            int parent = proposal.parents()[i];
            require(parent >= -1 && parent < i, "node " + i + " has parent " + parent + ", which is no earlier node");
            require(
                    request.shape() == Shape.TREE || parent == i - 1,
                    "node " + i + " has parent " + parent + ", but a chain was asked for");
            require(
                    token >= 0 && token < vocabulary,
                    "node " + i + " is token " + token + ", but the vocabulary has " + vocabulary);
            require(
                    edges.add((long) (parent + 1) << Integer.SIZE | token),
                    "node " + i + " repeats token " + token + " of a sibling");
            tree.tokens[i + 1] = token;
            tree.parents[i + 1] = parent + 1;
            tree.depths[i + 1] = tree.depths[parent + 1] + 1;
            require(
                    tree.depths[i + 1] <= request.maxDepth(),
                    "node " + i + " has depth " + tree.depths[i + 1] + " of at most " + request.maxDepth());
        }
        return tree;
    }

    private static void requireLengths(ProposeRequest request, DraftProposal proposal) {
        require(
                proposal.tokens() != null && proposal.parents() != null && proposal.logProbs() != null,
                "an array is null");
        int nodes = proposal.tokens().length;
        require(nodes <= request.maxNodes(), nodes + " nodes of at most " + request.maxNodes());
        require(proposal.parents().length == nodes, nodes + " tokens, but " + proposal.parents().length + " parents");
        int logProbs = proposal.logProbs().length;
        require(logProbs == 0 || logProbs == nodes, nodes + " tokens, but " + logProbs + " log-probabilities");
        for (float logProb : proposal.logProbs()) {
            require(!Float.isNaN(logProb), "a log-probability is not a number");
        }
    }

    private static void require(boolean kept, String broken) {
        if (!kept) {
            throw new IllegalArgumentException(broken);
        }
    }

    int rows() {
        return tokens.length;
    }

    int nodes() {
        return tokens.length - 1;
    }

    int depth() {
        return Arrays.stream(depths).max().orElse(0);
    }

    /** The child of a row that holds a token; -1 where there is none. */
    int child(int row, int token) {
        for (int i = row + 1; i < tokens.length; i++) {
            if (parents[i] == row && tokens[i] == token) {
                return i;
            }
        }
        return -1;
    }

    /** Whether something was guessed after a row. */
    boolean hasChildren(int row) {
        return Arrays.stream(parents).anyMatch(parent -> parent == row);
    }
}
