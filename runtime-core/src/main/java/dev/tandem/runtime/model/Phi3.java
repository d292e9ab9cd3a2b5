package dev.tandem.runtime.model;

import dev.tandem.runtime.model.Block.AttentionStyle;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;

/**
 * Phi 3, 3.5 and 4-mini: query, key and value are one tensor, gate and up another; halves of the head, or of its first
 * columns, rotate, with LongRoPE in the files of long context.
 */
final class Phi3 implements Architecture {
    @Override
    public String id() {
        return "phi3";
    }

    @Override
    public LanguageModel read(ModelView file) {
        Hyperparameters h = new Hyperparameters(file);
        Tensors tensors = new Tensors(file);
        int window = h.positive("attention.sliding_window").orElse(0);
        return new Decoder(
                file,
                h,
                tensors,
                (block, x) -> layer(
                        block,
                        new AttentionStyle(Op.Rope.Pairing.HALVES, rope(h, tensors, block.context()), false, window),
                        x),
                Ropes.isLong(h, tensors)
                        ? List.of("rope: other divisors up to a context of " + Ropes.originalContext(h))
                        : List.of());
    }

    private static RopeSpec rope(Hyperparameters h, Tensors tensors, int context) {
        return Ropes.isLong(h, tensors) ? Ropes.longRope(h, tensors, context) : Ropes.of(h, tensors, true);
    }

    private static Value layer(Block block, AttentionStyle style, Value x) {
        Value attended = block.add(x, block.attention(style, block.norm("attn_norm", x)));
        return block.add(attended, block.fusedFeedForward(Activation.SILU, block.norm("ffn_norm", attended)));
    }
}
