package dev.tandem.spi.draft;

import dev.tandem.spi.model.ModelView;
import java.util.List;

/**
 * What a strategy is asked about.
 *
 * @param target the target's file
 * @param files further files given for drafting, in the user's order
 * @param shape the target's sizes
 * @param limits what a session can offer
 */
public record DraftQuery(ModelView target, List<ModelView> files, TargetShape shape, Limits limits) {
    /** Copies the list. */
    public DraftQuery {
        files = List.copyOf(files);
    }

    /**
     * Sizes of the target.
     *
     * @param layers number of layers
     * @param hidden columns of a hidden state
     * @param vocabulary number of ids
     * @param recurrent whether it has recurrent state, which cannot be cut at will
     */
    public record TargetShape(int layers, int hidden, int vocabulary, boolean recurrent) {}

    /**
     * What a session can offer.
     *
     * @param maxNodes most nodes in a proposal
     * @param maxTopK largest k of a top-k op
     * @param contextRows most positions of a sequence
     * @param freeBytes memory left on the device, or -1 when unknown
     */
    public record Limits(int maxNodes, int maxTopK, int contextRows, long freeBytes) {}
}
