package dev.tandem.runtime.model;

import dev.tandem.runtime.model.Block.AttentionStyle;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.MoeRoute.Scoring;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;

/**
 * Llama 1 to 3 and models of the same shape, Mistral and Mixtral among them: pairs of neighbouring columns rotate,
 * SiLU-gated feed-forward or experts of this kind.
 */
final class Llama implements Architecture {
    @Override
    public String id() {
        return "llama";
    }

    @Override
    public LanguageModel read(ModelView file) {
        Hyperparameters h = new Hyperparameters(file);
        Tensors tensors = new Tensors(file);
        RopeSpec rope = Ropes.of(h, tensors, true);
        AttentionStyle style = new AttentionStyle(Op.Rope.Pairing.INTERLEAVED, rope, false, 0);
        boolean experts = h.positive("expert_count").isPresent();
        return new Decoder(file, h, tensors, (block, x) -> layer(block, style, experts, x), List.of());
    }

    private static Value layer(Block block, AttentionStyle style, boolean experts, Value x) {
        Value attended = block.add(x, block.attention(style, block.norm("attn_norm", x)));
        Value normed = block.norm("ffn_norm", attended);
        return block.add(
                attended,
                experts
                        ? block.experts(Scoring.SOFTMAX_THEN_TOP, true, Activation.SILU, normed)
                        : block.gatedFeedForward(Activation.SILU, normed));
    }
}
