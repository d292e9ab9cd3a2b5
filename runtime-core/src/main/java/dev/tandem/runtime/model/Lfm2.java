package dev.tandem.runtime.model;

import dev.tandem.runtime.model.Block.AttentionStyle;
import dev.tandem.runtime.model.Decoder.Ends;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.Rope.Pairing;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;
import java.util.Optional;

/** LFM 2: most layers are gated short convolutions, the others attention with norms per head. */
final class Lfm2 implements Architecture {
    private static final String KV_HEADS = "attention.head_count_kv";

    /** The final norm has the name of another in these files. */
    private static final Ends ENDS = new Ends(1f, 0f, "token_embd_norm.weight");

    @Override
    public String id() {
        return "lfm2";
    }

    @Override
    public LanguageModel read(ModelView file) {
        Hyperparameters h = new Hyperparameters(file);
        Tensors tensors = new Tensors(file);
        List<Long> kvHeads = h.integers(KV_HEADS).orElseThrow(() -> h.missing(KV_HEADS));
        if (kvHeads.size() < h.layers()) {
            throw h.inconsistent(KV_HEADS, kvHeads.size() + " entries for " + h.layers() + " layers");
        }
        RopeSpec rope = Ropes.of(h, tensors, true);
        Windows windows = Windows.of(h, h.positive("attention.sliding_window").orElse(0), Integer.MAX_VALUE);
        int width = h.required("shortconv.l_cache", 2, 1024);
        return new Decoder(
                file,
                h,
                tensors,
                (block, x) -> {
                    Value normed = block.norm("attn_norm", x);
                    Value mixed = kvHeads.get(block.layer()) == 0
                            ? convolution(block, width, normed)
                            : block.attention(
                                    new AttentionStyle(Pairing.HALVES, rope, true, windows.of(block.layer())), normed);
                    Value residual = block.add(x, mixed);
                    return block.add(
                            residual, block.gatedFeedForward(Activation.SILU, block.norm("ffn_norm", residual)));
                },
                ENDS,
                List.of());
    }

    /** out(c * convolve(b * x)) with b, c and x side by side in the input projection. */
    private static Value convolution(Block block, int width, Value input) {
        int n = input.columns();
        Value parts = block.linear("shortconv.in_proj", input, Math.multiplyExact(3, n));
        Value b = block.part("shortconv.b", parts, 0, n);
        Value c = block.part("shortconv.c", parts, n, n);
        Value x = block.part("shortconv.x", parts, 2 * n, n);
        Op convolve = new Op.ShortConv(
                block.convolution(n, width),
                block.weight("shortconv.conv.weight", n, width),
                block.optionalWeight("shortconv.conv.bias", n),
                Optional.empty());
        Value convolved = block.node("shortconv.conv", convolve, block.node("shortconv.bx", new Op.Multiply(), b, x));
        Value gated = block.node("shortconv.gated", new Op.Multiply(), c, convolved);
        return block.linear("shortconv.out_proj", block.queried(gated), n);
    }
}
