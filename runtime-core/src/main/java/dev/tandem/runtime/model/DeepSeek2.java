package dev.tandem.runtime.model;

import dev.tandem.spi.graph.Op.MoeRoute.Scoring;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;

/** DeepSeek V2, V2-Lite, V3, R1 and models of the same shape: latent attention, experts routed within groups. */
final class DeepSeek2 implements Architecture {
    @Override
    public String id() {
        return "deepseek2";
    }

    @Override
    public LanguageModel read(ModelView file) {
        Hyperparameters h = new Hyperparameters(file);
        Tensors tensors = new Tensors(file);
        LatentAttention attention = LatentAttention.of(h, tensors);
        ExpertMix experts = ExpertMix.of(h, Scoring.SOFTMAX_THEN_TOP);
        return new Decoder(
                file, h, tensors, (block, x) -> layer(block, attention, experts, x), List.of(attention.describe()));
    }

    private static Value layer(Block block, LatentAttention attention, ExpertMix experts, Value x) {
        Value attended = block.add(x, attention.build(block, block.norm("attn_norm", x)));
        return block.add(attended, experts.build(block, block.norm("ffn_norm", attended)));
    }
}
