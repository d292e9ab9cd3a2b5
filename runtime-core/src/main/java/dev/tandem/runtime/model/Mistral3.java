package dev.tandem.runtime.model;

import dev.tandem.runtime.model.Block.AttentionStyle;
import dev.tandem.runtime.model.Block.Scores;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;
import java.util.Optional;

/**
 * Mistral 3 and Ministral 3, text only: as Llama, with yarn whose attention factor the file may cancel, and queries that
 * grow with the logarithm of their position.
 */
final class Mistral3 implements Architecture {
    @Override
    public String id() {
        return "mistral3";
    }

    @Override
    public LanguageModel read(ModelView file) {
        Hyperparameters h = new Hyperparameters(file);
        Tensors tensors = new Tensors(file);
        double divisor = h.positiveReal("rope.scaling.yarn_log_multiplier").orElse(0.0);
        RopeSpec rope = Ropes.of(h, tensors, true, divisor);
        AttentionStyle style = new AttentionStyle(
                Op.Rope.Pairing.INTERLEAVED,
                Optional.of(rope),
                false,
                0,
                new Scores(Optional.empty(), 0f, false, Ropes.queryScale(h)));
        return new Decoder(file, h, tensors, (block, x) -> layer(block, style, x), List.of());
    }

    private static Value layer(Block block, AttentionStyle style, Value x) {
        Value attended = block.add(x, block.attention(style, block.norm("attn_norm", x)));
        return block.add(attended, block.gatedFeedForward(Activation.SILU, block.norm("ffn_norm", attended)));
    }
}
