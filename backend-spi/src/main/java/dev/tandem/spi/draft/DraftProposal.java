package dev.tandem.spi.draft;

/**
 * Guessed nodes, parents before children.
 *
 * @param tokens ids
 * @param parents per node, the index of its parent node, or -1 for the current token
 * @param logProbs per node, given its parent; empty when the strategy has none
 */
public record DraftProposal(int[] tokens, int[] parents, float[] logProbs) {
    /** Nothing to propose. */
    public static final DraftProposal NONE = new DraftProposal(new int[0], new int[0], new float[0]);

    /**
     * One path.
     *
     * @param tokens ids, the first following the current token
     * @return the proposal
     */
    public static DraftProposal chain(int... tokens) {
        int[] parents = new int[tokens.length];
        for (int i = 0; i < parents.length; i++) {
            parents[i] = i - 1;
        }
        return new DraftProposal(tokens.clone(), parents, new float[0]);
    }

    /**
     * Number of nodes.
     *
     * @return 0 for {@link #NONE}
     */
    public int size() {
        return tokens.length;
    }
}
