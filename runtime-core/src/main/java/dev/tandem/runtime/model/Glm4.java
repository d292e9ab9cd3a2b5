package dev.tandem.runtime.model;

import dev.tandem.runtime.model.Block.AttentionStyle;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Op.Rope.Pairing;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;

/** GLM 4: a norm before and after each part, gate and up in one tensor, the first columns of a head rotate. */
final class Glm4 implements Architecture {
    @Override
    public String id() {
        return "glm4";
    }

    @Override
    public LanguageModel read(ModelView file) {
        Hyperparameters h = new Hyperparameters(file);
        Tensors tensors = new Tensors(file);
        RopeSpec rope = Ropes.of(h, tensors, true);
        AttentionStyle style = new AttentionStyle(pairing(h), rope, false, 0);
        return new Decoder(file, h, tensors, (block, x) -> layer(block, style, x), List.of());
    }

    /** Files with several position axes hold their rows in another order; for text all axes have the same position. */
    private static Pairing pairing(Hyperparameters h) {
        List<Long> sections = h.integers("rope.dimension_sections").orElse(List.of());
        boolean severalAxes = sections.size() > 1 && sections.get(0) > 0 && sections.get(1) > 0;
        return severalAxes ? Pairing.HALVES : Pairing.INTERLEAVED;
    }

    private static Value layer(Block block, AttentionStyle style, Value x) {
        Value attention = block.attention(style, block.norm("attn_norm", x));
        Value attended = block.add(x, block.norm("post_attention_norm", attention));
        Value forward = block.fusedFeedForward(Activation.SILU, block.norm("ffn_norm", attended));
        return block.add(attended, block.norm("post_ffw_norm", forward));
    }
}
