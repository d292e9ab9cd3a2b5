package dev.tandem.runtime.model;

import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.MoeRoute.Groups;
import dev.tandem.spi.graph.Op.MoeRoute.Scoring;
import dev.tandem.spi.graph.Value;
import java.util.Optional;

/**
 * Feed-forward parts of which some layers, the first ones, are dense and the others have routed experts beside shared
 * ones, all of SiLU-gated units.
 *
 * @param leadingDense layers without experts
 * @param shared experts that every row uses, kept as one unit of their joint width
 * @param sharedWidth its width
 * @param route how the others are chosen; a layer's selection bias is added where the file has one
 */
record ExpertMix(int leadingDense, int shared, int sharedWidth, Op.MoeRoute route) {
    private static final int SOFTMAX = 1;
    private static final int SIGMOID = 2;

    /**
     * Reads the usual keys.
     *
     * @param unstated scoring of files that name none
     */
    static ExpertMix of(Hyperparameters h, Scoring unstated) {
        int shared = h.positive("expert_shared_count").orElse(0);
        long sharedWidth = (long) shared * h.expertWidth();
        if (sharedWidth > Integer.MAX_VALUE) {
            throw h.inconsistent("expert_shared_count", shared + " experts of width " + h.expertWidth());
        }
        Op.MoeRoute route = new Op.MoeRoute(
                h.experts(),
                h.expertsUsed(),
                scoring(h, unstated),
                h.flag("expert_weights_norm").orElse(false),
                h.positiveReal("expert_weights_scale").orElse(1.0).floatValue(),
                Optional.empty(),
                groups(h));
        return new ExpertMix(h.positive("leading_dense_block_count").orElse(0), shared, (int) sharedWidth, route);
    }

    private static Scoring scoring(Hyperparameters h, Scoring unstated) {
        String key = "expert_gating_func";
        Optional<Integer> stated = h.positive(key);
        if (stated.isEmpty()) {
            return unstated;
        }
        return switch (stated.get()) {
            case SOFTMAX -> Scoring.SOFTMAX_THEN_TOP;
            case SIGMOID -> Scoring.SIGMOID_THEN_TOP;
            default ->
                throw h.inconsistent(key, stated.get() + " is not supported; 1 for softmax and 2 for sigmoid are");
        };
    }

    private static Optional<Groups> groups(Hyperparameters h) {
        int count = h.positive("expert_group_count").orElse(1);
        if (count == 1) {
            return Optional.empty();
        }
        int experts = h.experts();
        if (experts % count != 0) {
            throw h.inconsistent("expert_group_count", count + " does not divide the " + experts + " experts");
        }
        int used = h.required("expert_group_used_count", 1, count);
        if (h.expertsUsed() > (long) experts / count * used) {
            throw h.inconsistent("expert_group_used_count", used + " groups hold too few experts");
        }
        return Optional.of(new Groups(count, used));
    }

    /** The feed-forward part of a block, from normalised input on. */
    Value build(Block block, Value x) {
        if (block.layer() < leadingDense) {
            return block.gatedFeedForward(Activation.SILU, x);
        }
        Op.MoeRoute here = new Op.MoeRoute(
                route.experts(),
                route.used(),
                route.scoring(),
                route.renormalise(),
                route.weightScale(),
                block.optionalWeight("exp_probs_b.bias", route.experts()),
                route.groups());
        Value routed = block.experts(here, new Op.Gate(Activation.SILU), x);
        return shared == 0
                ? routed
                : block.add(routed, block.gatedFeedForward("_shexp", sharedWidth, Activation.SILU, x));
    }
}
