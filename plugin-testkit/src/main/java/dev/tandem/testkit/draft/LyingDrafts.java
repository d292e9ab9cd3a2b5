package dev.tandem.testkit.draft;

import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.ProposeRequest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Breaks one rule of proposals each time it is asked. */
public final class LyingDrafts extends TestDrafts {
    private static final int @Nullable [] NO_ARRAY = null;
    private static final @Nullable DraftProposal NO_PROPOSAL = null;

    private final Lie lie;
    private final int vocabulary;

    /** Which rule. */
    public enum Lie {
        /** A node stands before its parent. */
        PARENT_AFTER_CHILD,
        /** A node is its own parent. */
        OWN_PARENT,
        /** A parent below -1. */
        PARENT_BELOW_ROOT,
        /** Two siblings hold the same token. */
        EQUAL_SIBLINGS,
        /** An id is the vocabulary's size. */
        TOKEN_TOO_LARGE,
        /** An id is negative. */
        TOKEN_NEGATIVE,
        /** One node more on a path than asked for. */
        TOO_DEEP,
        /** One node more than asked for. */
        TOO_MANY,
        /** Fewer parents than tokens. */
        FEW_PARENTS,
        /** Fewer log-probabilities than tokens, but some. */
        FEW_LOG_PROBS,
        /** A log-probability is not a number. */
        LOG_PROB_NOT_A_NUMBER,
        /** An array is missing. */
        NULL_ARRAY,
        /** No proposal at all, instead of an empty one. */
        NULL_PROPOSAL
    }

    /**
     * A strategy.
     *
     * @param lie the rule it breaks
     * @param vocabulary number of token ids, more than any request has nodes
     */
    public LyingDrafts(Lie lie, int vocabulary) {
        super("liar", DraftPlan.Shape.TREE, 64);
        this.lie = lie;
        this.vocabulary = vocabulary;
    }

    @Override
    @SuppressWarnings("NullAway") // a lie
    protected DraftProposal guess(ProposeRequest request) {
        int[] root = {-1, -1};
        return switch (lie) {
            case PARENT_AFTER_CHILD -> proposal(new int[] {1, 2}, new int[] {1, -1}, 0);
            case OWN_PARENT -> proposal(new int[] {1}, new int[] {0}, 0);
            case PARENT_BELOW_ROOT -> proposal(new int[] {1}, new int[] {-2}, 0);
            case EQUAL_SIBLINGS -> proposal(new int[] {7, 7}, root, 0);
            case TOKEN_TOO_LARGE -> proposal(new int[] {1, vocabulary}, root, 0);
            case TOKEN_NEGATIVE -> proposal(new int[] {1, -1}, root, 0);
            case TOO_DEEP -> DraftProposal.chain(new int[request.maxDepth() + 1]);
            case TOO_MANY -> flat(request.maxNodes() + 1);
            case FEW_PARENTS -> proposal(new int[] {1, 2}, new int[] {-1}, 0);
            case FEW_LOG_PROBS -> proposal(new int[] {1, 2}, root, 1);
            case LOG_PROB_NOT_A_NUMBER -> new DraftProposal(new int[] {1}, new int[] {-1}, new float[] {Float.NaN});
            case NULL_ARRAY -> new DraftProposal(new int[] {1}, NO_ARRAY, new float[0]);
            case NULL_PROPOSAL -> NO_PROPOSAL;
        };
    }

    private static DraftProposal proposal(int[] tokens, int[] parents, int logProbs) {
        return new DraftProposal(tokens, parents, new float[logProbs]);
    }

    private static DraftProposal flat(int nodes) {
        int[] tokens = new int[nodes];
        int[] parents = new int[nodes];
        Arrays.setAll(tokens, i -> i);
        Arrays.fill(parents, -1);
        return proposal(tokens, parents, 0);
    }
}
