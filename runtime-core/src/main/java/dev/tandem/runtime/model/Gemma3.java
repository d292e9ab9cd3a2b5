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
 * Gemma 3: as Gemma 2 with norms per head in place of the cap on scores; five layers of six have a window and a rope
 * base of their own, and only the sixth's rope is scaled.
 */
final class Gemma3 implements Architecture {
    /** Layers of the one size (27B) whose queries are scaled by hidden / heads; no key of the file says so. */
    private static final int LAYERS_OF_27B = 62;

    @Override
    public String id() {
        return "gemma3";
    }

    @Override
    public LanguageModel read(ModelView file) {
        Hyperparameters h = new Hyperparameters(file);
        Tensors tensors = new Tensors(file);
        RopeSpec global = Ropes.of(h, tensors, true);
        RopeSpec local = Ropes.unscaled(h, "rope.freq_base_swa");
        Windows windows = Windows.of(h, h.positive("attention.sliding_window").orElse(0), 6);
        Scores scores = new Scores(Optional.of(h.queryScale(LAYERS_OF_27B)), 0f, false, Optional.empty());
        float logitCap = h.positiveReal("final_logit_softcapping").orElse(0.0).floatValue();
        return new Decoder(
                file,
                h,
                tensors,
                (block, x) -> layer(
                        block,
                        new AttentionStyle(
                                Op.Rope.Pairing.HALVES,
                                Optional.of(windows.limits(block.layer()) ? local : global),
                                true,
                                windows.of(block.layer()),
                                scores),
                        x),
                new Ends((float) StrictMath.sqrt(h.hidden()), logitCap),
                List.of());
    }

    private static Value layer(Block block, AttentionStyle style, Value x) {
        Value attention = block.attention(style, block.norm("attn_norm", x));
        Value attended = block.add(x, block.norm("post_attention_norm", attention));
        Value forward = block.gatedFeedForward(Activation.GELU_TANH, block.norm("ffn_norm", attended));
        return block.add(attended, block.norm("post_ffw_norm", forward));
    }
}
