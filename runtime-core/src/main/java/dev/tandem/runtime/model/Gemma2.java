package dev.tandem.runtime.model;

import dev.tandem.runtime.model.Block.AttentionStyle;
import dev.tandem.runtime.model.Block.Scores;
import dev.tandem.runtime.model.Decoder.Ends;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;
import java.util.Optional;

/**
 * Gemma 2: embeddings times sqrt(hidden), norms before and after attention and feed-forward, soft caps on scores and
 * logits, a window in every other layer.
 */
final class Gemma2 implements Architecture {
    private static final int DEFAULT_WINDOW = 4096;
    /** Layers of the one size (27B) whose queries are scaled by hidden / heads; no key of the file says so. */
    private static final int LAYERS_OF_27B = 46;

    @Override
    public String id() {
        return "gemma2";
    }

    @Override
    public LanguageModel read(ModelView file) {
        Hyperparameters h = new Hyperparameters(file);
        Tensors tensors = new Tensors(file);
        RopeSpec rope = Ropes.of(h, tensors, true);
        Windows windows = Windows.of(h, h.positive("attention.sliding_window").orElse(DEFAULT_WINDOW), 2);
        float scoreCap = cap(h, "attn_logit_softcapping", 50);
        float logitCap = cap(h, "final_logit_softcapping", 30);
        Scores scores = new Scores(Optional.of(h.queryScale(LAYERS_OF_27B)), scoreCap, false, Optional.empty());
        return new Decoder(
                file,
                h,
                tensors,
                (block, x) -> layer(
                        block,
                        new AttentionStyle(
                                Op.Rope.Pairing.HALVES, Optional.of(rope), false, windows.of(block.layer()), scores),
                        x),
                new Ends((float) StrictMath.sqrt(h.hidden()), logitCap),
                List.of());
    }

    private static float cap(Hyperparameters h, String key, float otherwise) {
        return Math.max(0f, h.real(key).orElse((double) otherwise).floatValue());
    }

    private static Value layer(Block block, AttentionStyle style, Value x) {
        Value attention = block.attention(style, block.norm("attn_norm", x));
        Value attended = block.add(x, block.norm("post_attention_norm", attention));
        Value forward = block.gatedFeedForward(Activation.GELU_TANH, block.norm("ffn_norm", attended));
        return block.add(attended, block.norm("post_ffw_norm", forward));
    }
}
