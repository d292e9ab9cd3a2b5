package dev.tandem.runtime.model;

import dev.tandem.runtime.model.Block.AttentionStyle;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;

/** Qwen 3: queries and keys are normalised per head, halves of the head rotate. */
final class Qwen3 implements Architecture {
    @Override
    public String id() {
        return "qwen3";
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
        return block.add(attended, block.gatedFeedForward(Activation.SILU, block.norm("ffn_norm", attended)));
    }
}
