package dev.tandem.runtime.model;

import dev.tandem.runtime.model.Block.AttentionStyle;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;

/** Llama 1 to 3 and models of the same shape: pairs of neighbouring columns rotate, SiLU-gated feed-forward. */
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
        return new Decoder(file, h, tensors, (block, x) -> layer(block, style, x), List.of(Ropes.describe(rope)));
    }

    private static Value layer(Block block, AttentionStyle style, Value x) {
        Value attended = block.add(x, block.attention(style, block.norm("attn_norm", x)));
        return block.add(attended, block.gatedFeedForward(Activation.SILU, block.norm("ffn_norm", attended)));
    }
}
