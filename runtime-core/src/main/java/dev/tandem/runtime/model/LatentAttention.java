package dev.tandem.runtime.model;

import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.MoeRoute.Scoring;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.RopeSpec.Scaling;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.WeightRef;
import java.util.Collections;
import java.util.Optional;

/**
 * Multi-head latent attention (DeepSeek-V2 2024, section 2.1): keys and values of all heads come from one small latent row,
 * and only a few columns of a key, the same for all heads, are rotated.
 *
 * <p>Where the file holds the matrices from the latent row to keys and values apart ({@code attn_k_b}, {@code attn_v_b}),
 * they are applied to queries and to what was attended instead, and the state keeps latent rows: one key-value head of
 * {@code rank + rotated} columns, whose values are its first {@code rank}. Where it holds them in one ({@code attn_kv_b}),
 * keys and values of every head are computed and kept.
 *
 * @param heads query heads
 * @param keyDim columns of a head's query: first those that do not rotate, then the rotated
 * @param valueDim columns of a head's value
 * @param rank columns of the latent row
 * @param queryRank columns of a query's latent row; empty where queries come from the hidden state
 * @param hidden columns of a hidden state
 * @param rope angles of the rotated columns
 * @param scale multiplies each score
 * @param byPosition grows queries with their position; empty for most models
 */
record LatentAttention(
        int heads,
        int keyDim,
        int valueDim,
        int rank,
        Optional<Integer> queryRank,
        int hidden,
        RopeSpec rope,
        float scale,
        Optional<Op.ScaleByPosition> byPosition) {
    private static final int LARGEST_RANK = 8192;

    static LatentAttention of(Hyperparameters h, Tensors tensors) {
        int keyDim =
                h.positive("attention.key_length_mla").isPresent() ? h.headDim("attention.key_length_mla") : h.keyDim();
        int valueDim = h.positive("attention.value_length_mla").isPresent()
                ? h.headDim("attention.value_length_mla")
                : h.valueDim();
        // Multiplier of yarn's logarithm ("mscale_all_dim"), as converters store it: already times 0.1.
        double logMultiplier =
                h.positiveReal("rope.scaling.yarn_log_multiplier").orElse(0.0);
        // Models that have one multiply cosines and sines by mscale / mscale_all_dim, which they choose equal.
        RopeSpec rope = Ropes.of(h, tensors, true, logMultiplier > 0 ? 1.0 : 0.0);
        if (rope.rotaryDims() >= keyDim) {
            throw h.inconsistent(
                    "rope.dimension_count", rope.rotaryDims() + " columns leave none unrotated of a key's " + keyDim);
        }
        return new LatentAttention(
                h.heads(),
                keyDim,
                valueDim,
                h.required("attention.kv_lora_rank", 1, LARGEST_RANK),
                h.positive("attention.q_lora_rank"),
                h.hidden(),
                rope,
                scale(keyDim, rope.scaling(), logMultiplier),
                Ropes.queryScale(h));
    }

    /** 1 / sqrt(keyDim), times the square of yarn's magnitude where the model asks for it. */
    private static float scale(int keyDim, Scaling scaling, double logMultiplier) {
        double magnitude = scaling instanceof Scaling.Yarn yarn && yarn.factor() > 1
                ? 1.0 + logMultiplier * StrictMath.log(yarn.factor())
                : 1.0;
        return (float) (magnitude * magnitude / StrictMath.sqrt(keyDim));
    }

    private int rotated() {
        return rope.rotaryDims();
    }

    private int still() {
        return keyDim - rotated();
    }

    /** Attention of one block, from normalised input to output projection. */
    Value build(Block block, Value x) {
        Value query = block.node(
                "attn_q_rope",
                new Op.Rope(Op.Rope.Pairing.INTERLEAVED, rope, keyDim, still()),
                query(block, block.queried(x)));
        if (byPosition.isPresent()) {
            query = block.node("attn_q_scale", byPosition.get(), query);
        }
        Value compressed = block.linear("attn_kv_a_mqa", x, rank + rotated());
        Value latent = block.norm("attn_kv_a_norm", block.part("attn_kv_a", compressed, 0, rank));
        Value turned = block.node(
                "attn_k_rope",
                new Op.Rope(Op.Rope.Pairing.INTERLEAVED, rope, rotated(), 0),
                block.part("attn_k_pe", compressed, rank, rotated()));
        Value attended = block.has("attn_kv_b.weight") && !block.has("attn_k_b.weight")
                ? perHeadKeys(block, query, latent, turned)
                : latentKeys(block, query, latent, turned);
        return block.linear("attn_output", attended, hidden);
    }

    private Value query(Block block, Value x) {
        int columns = heads * keyDim;
        if (queryRank.isEmpty() || block.has("attn_q.weight")) {
            return block.linear("attn_q", x, columns);
        }
        Value latent = block.norm("attn_q_a_norm", block.linear("attn_q_a", x, queryRank.get()));
        return block.linear("attn_q_b", latent, columns);
    }

    private Value latentKeys(Block block, Value query, Value latent, Value turned) {
        Value ids = headIds(block, query);
        Value still = block.node("attn_q_nope", new Op.Columns(heads, 0, still()), query);
        Value rotated = block.node("attn_q_pe", new Op.Columns(heads, still(), rotated()), query);
        Value absorbed = perHead(block, "attn_k_b", still, ids, rank, still());
        Value wide = block.node("attn_q_latent", new Op.Concat(heads), absorbed, rotated);
        Value key = block.node("attn_k_latent", new Op.Concat(1), latent, turned);
        String slot = block.keysAndValues(1, rank + rotated(), rank, 0);
        return perHead(block, "attn_v_b", attend(block, slot, wide, key, latent), ids, valueDim, rank);
    }

    /** A matrix of {@code [out, in]} for each head; files of one head have no dimension for it. */
    private Value perHead(Block block, String name, Value x, Value ids, int out, int in) {
        if (heads == 1) {
            return block.linear(name, x, out);
        }
        WeightRef matrices = block.weight(name + ".weight", heads, out, in);
        return block.node(name, new Op.MoeMatMul(matrices, Optional.empty()), x, ids);
    }

    /** 0 to heads - 1 in every row, so that each head is its own expert: equal scores are chosen in order of their ids. */
    private Value headIds(Block block, Value query) {
        Value zeros = block.node("attn_head_scores", new Op.Scale(0f), block.part("attn_q_first", query, 0, heads));
        Op.MoeRoute all =
                new Op.MoeRoute(heads, heads, Scoring.SIGMOID_THEN_TOP, false, 1f, Optional.empty(), Optional.empty());
        return block.ids("attn_head_ids", all, zeros);
    }

    private Value perHeadKeys(Block block, Value query, Value latent, Value turned) {
        int run = still() + valueDim;
        Value both = block.linear("attn_kv_b", latent, heads * run);
        Value still = block.node("attn_k_nope", new Op.Columns(heads, 0, still()), both);
        Value value = block.node("attn_v", new Op.Columns(heads, still(), valueDim), both);
        Value repeated = heads == 1
                ? turned
                : block.node(
                        "attn_k_pe_heads",
                        new Op.Concat(1),
                        Collections.nCopies(heads, turned).toArray(Value[]::new));
        Value key = block.node("attn_k_heads", new Op.Concat(heads), still, repeated);
        return attend(block, block.keysAndValues(heads, keyDim, valueDim, 0), query, key, value);
    }

    private Value attend(Block block, String slot, Value query, Value key, Value value) {
        Op attention = new Op.Attention(slot, heads, scale, 0f, Optional.empty(), Op.Attention.InStep.ANCESTORS);
        return block.node("attn", attention, query, key, value);
    }

    /** What a graph does not show, in one line for people. */
    String describe() {
        return "latent attention: rank " + rank
                + queryRank.map(r -> ", queries of rank " + r).orElse("");
    }
}
