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

/** SmolLM 3: as Llama, but every fourth layer does not rotate. */
final class SmolLm3 implements Architecture {
    private static final int PERIOD = 4;

    @Override
    public String id() {
        return "smollm3";
    }

    @Override
    public LanguageModel read(ModelView file) {
        Hyperparameters h = new Hyperparameters(file);
        Tensors tensors = new Tensors(file);
        RopeSpec rope = Ropes.of(h, tensors, true);
        AttentionStyle rotating = new AttentionStyle(Op.Rope.Pairing.INTERLEAVED, rope, false, 0);
        AttentionStyle still =
                new AttentionStyle(Op.Rope.Pairing.INTERLEAVED, Optional.empty(), false, 0, Scores.PLAIN);
        return new Decoder(
                file,
                h,
                tensors,
                (block, x) -> layer(block, block.layer() % PERIOD == PERIOD - 1 ? still : rotating, x),
                List.of());
    }

    private static Value layer(Block block, AttentionStyle style, Value x) {
        Value attended = block.add(x, block.attention(style, block.norm("attn_norm", x)));
        return block.add(attended, block.gatedFeedForward(Activation.SILU, block.norm("ffn_norm", attended)));
    }
}
