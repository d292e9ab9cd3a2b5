package dev.tandem.runtime.model;

import dev.tandem.runtime.model.Block.AttentionStyle;
import dev.tandem.runtime.model.Block.Scores;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.MoeRoute.Scoring;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;
import java.util.Optional;

/**
 * gpt-oss: a sink per head, a window in every other layer, experts with biases and a clamped gate, weighted by a softmax
 * over those chosen. Yarn's correction range is not rounded.
 */
final class GptOss implements Architecture {
    private static final Op UNIT = new Op.ClampedGate(1.702f, 7f);

    @Override
    public String id() {
        return "gpt-oss";
    }

    @Override
    public LanguageModel read(ModelView file) {
        Hyperparameters h = new Hyperparameters(file);
        Tensors tensors = new Tensors(file);
        RopeSpec rope = Ropes.of(h, tensors, false);
        int window = h.positive("attention.sliding_window").orElseThrow(() -> h.missing("attention.sliding_window"));
        Windows windows = Windows.of(h, window, 2);
        Scores scores = new Scores(Optional.empty(), 0f, true, Optional.empty());
        return new Decoder(
                file,
                h,
                tensors,
                (block, x) -> layer(
                        block,
                        new AttentionStyle(
                                Op.Rope.Pairing.HALVES, Optional.of(rope), false, windows.of(block.layer()), scores),
                        x),
                List.of());
    }

    private static Value layer(Block block, AttentionStyle style, Value x) {
        Value attended = block.add(x, block.attention(style, block.norm("attn_norm", x)));
        Value normed = block.norm("post_attention_norm", attended);
        return block.add(attended, block.experts(Scoring.TOP_THEN_SOFTMAX, false, UNIT, normed));
    }
}
