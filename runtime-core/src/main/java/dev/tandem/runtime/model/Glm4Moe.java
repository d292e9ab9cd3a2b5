package dev.tandem.runtime.model;

import dev.tandem.runtime.model.Block.AttentionStyle;
import dev.tandem.spi.graph.Op.MoeRoute.Scoring;
import dev.tandem.spi.graph.Op.Rope.Pairing;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;

/** GLM 4.5 and later with experts: routed by sigmoid beside a shared one; the largest normalises per head. */
final class Glm4Moe implements Architecture {
    @Override
    public String id() {
        return "glm4moe";
    }

    @Override
    public LanguageModel read(ModelView file) {
        Hyperparameters h = new Hyperparameters(file);
        Tensors tensors = new Tensors(file);
        RopeSpec rope = Ropes.of(h, tensors, true);
        ExpertMix experts = ExpertMix.of(h, Scoring.SIGMOID_THEN_TOP);
        return new Decoder(file, h, tensors, (block, x) -> layer(block, rope, experts, x), List.of());
    }

    private static Value layer(Block block, RopeSpec rope, ExpertMix experts, Value x) {
        boolean headNorms = block.has("attn_q_norm.weight") || block.has("attn_k_norm.weight");
        AttentionStyle style = new AttentionStyle(Pairing.HALVES, rope, headNorms, 0);
        Value attended = block.add(x, block.attention(style, block.norm("attn_norm", x)));
        return block.add(attended, experts.build(block, block.norm("post_attention_norm", attended)));
    }
}
