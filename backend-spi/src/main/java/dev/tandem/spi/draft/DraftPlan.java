package dev.tandem.spi.draft;

import java.util.List;

/** What a strategy needs and offers for one target, or why it does not fit. */
public sealed interface DraftPlan {
    /**
     * The strategy does not fit.
     *
     * @param reason with both numbers where two disagree
     * @param remedy what the user can do
     */
    record Unsupported(String reason, String remedy) implements DraftPlan {}

    /**
     * The strategy fits.
     *
     * @param strategy for people
     * @param taps hidden states that it reads, in the order in which it wants them
     * @param usesEmbedding whether it uses the target's embedding
     * @param usesHead whether it uses the target's output head
     * @param shape of its proposals
     * @param maxDepth longest path that it proposes
     * @param cost for the controller's first guess
     * @param notes for {@code inspect} and {@code --draft-stats}
     */
    record Fits(
            String strategy,
            List<HiddenTap> taps,
            boolean usesEmbedding,
            boolean usesHead,
            Shape shape,
            int maxDepth,
            Cost cost,
            List<String> notes)
            implements DraftPlan {
        /** Copies the lists. */
        public Fits {
            taps = List.copyOf(taps);
            notes = List.copyOf(notes);
        }
    }

    /** Shape of proposals. */
    enum Shape {
        /** One path. */
        CHAIN,
        /** Several paths with common beginnings. */
        TREE
    }

    /**
     * What a proposal costs.
     *
     * @param weightBytes weights read per proposal step
     * @param stateBytesPerToken memory per committed token
     * @param growth how the cost grows with depth
     */
    record Cost(long weightBytes, long stateBytesPerToken, Growth growth) {
        /** How the cost grows with depth. */
        public enum Growth {
            /** Hardly any cost. */
            FREE,
            /** One pass per token. */
            PER_TOKEN,
            /** One pass per proposal. */
            PER_BLOCK
        }
    }

    /**
     * A hidden state of the target.
     *
     * @param layer from 0; ignored for the final stages and the embedding
     * @param stage where in the layer
     */
    record HiddenTap(int layer, Stage stage) {
        /** Where a hidden state is taken. */
        public enum Stage {
            /** The embedding, scaled as the target does. */
            EMBEDDING,
            /** The residual stream after the layer. */
            LAYER_OUTPUT,
            /** The residual stream before the final norm. */
            FINAL_PRE_NORM,
            /** After the final norm: the head's input. */
            FINAL_POST_NORM
        }
    }
}
