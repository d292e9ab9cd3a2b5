package dev.tandem.runtime.model;

import dev.tandem.runtime.model.Block.AttentionStyle;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.MoeRoute.Scoring;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;

/** Qwen 3 with experts: softmax over all, the best used, their weights renormalised. */
final class Qwen3Moe implements Architecture {
    @Override
    public String id() {
        return "qwen3moe";
    }

    @Override
    public LanguageModel read(ModelView file) {
        Hyperparameters h = new Hyperparameters(file);
        Tensors tensors = new Tensors(file);
        RopeSpec rope = Ropes.of(h, tensors, true);
        AttentionStyle style = new AttentionStyle(Op.Rope.Pairing.HALVES, rope, true, 0);
        return new Decoder(file, h, tensors, (block, x) -> layer(block, style, x), List.of());
    }

    private static Value layer(Block block, AttentionStyle style, Value x) {
        Value attended = block.add(x, block.attention(style, block.norm("attn_norm", x)));
        return block.add(
                attended,
                block.experts(Scoring.SOFTMAX_THEN_TOP, true, Activation.SILU, block.norm("ffn_norm", attended)));
    }
}
