package dev.tandem.runtime.model;

import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import java.util.List;
import java.util.Optional;

/**
 * The parts of which layers are made, for one layer of one graph. Tensor names are those of GGUF; a bias is used wherever
 * the file has one.
 *
 * <p>In the last layer only the selected rows have queries, so attention gives SELECTED rows and {@link #add} selects the
 * residual to match: rows whose logits nobody reads leave the last layer after their keys and values.
 */
final class Block {
    private final Graph.Builder graph;
    private final Hyperparameters h;
    private final Tensors tensors;
    private final DType kvType;
    private final int layer;
    private final boolean selectQueries;

    Block(Graph.Builder graph, Hyperparameters h, Tensors tensors, DType kvType, int layer, boolean selectQueries) {
        this.graph = graph;
        this.h = h;
        this.tensors = tensors;
        this.kvType = kvType;
        this.layer = layer;
        this.selectQueries = selectQueries;
    }

    /**
     * How a layer attends.
     *
     * @param pairing of the rotated columns
     * @param rope angles
     * @param headNorms whether queries and keys are normalised per head
     * @param window positions seen; 0 for all
     */
    record AttentionStyle(Op.Rope.Pairing pairing, RopeSpec rope, boolean headNorms, int window) {}

    int layer() {
        return layer;
    }

    private String label(String part) {
        return "blk." + layer + "." + part;
    }

    /** RMS norm over all columns. */
    Value norm(String name, Value x) {
        WeightRef gain = tensors.required(label(name) + ".weight", x.columns());
        return graph.add(label(name), new Op.RmsNorm(Optional.of(gain), x.columns(), h.rmsEpsilon()), x);
    }

    /** Linear layer, with the bias where the file has one. */
    Value linear(String name, Value x, int out) {
        return linear(name, x, out, Op.Arithmetic.BY_PRECISION);
    }

    private Value linear(String name, Value x, int out, Op.Arithmetic arithmetic) {
        WeightRef weight = tensors.required(label(name) + ".weight", out, x.columns());
        Optional<WeightRef> bias = tensors.optional(label(name) + ".bias", out);
        return graph.add(label(name), new Op.MatMul(weight, bias, arithmetic), x);
    }

    /** Residual sum; selects the rows of the residual where only those have a sum. */
    Value add(Value residual, Value x) {
        Value base = residual.type().rows() == RowSet.STEP && x.type().rows() == RowSet.SELECTED
                ? graph.add(label("select"), new Op.SelectRows(), residual)
                : residual;
        return graph.add(label("add"), new Op.Add(), base, x);
    }

    /** Grouped-query attention with its projections, from normalised input to output projection. */
    Value attention(AttentionStyle style, Value x) {
        int keyDim = h.keyDim();
        int valueDim = h.valueDim();
        Value queryInput = selectQueries ? graph.add(label("attn_select"), new Op.SelectRows(), x) : x;
        Value q = linear("attn_q", queryInput, h.heads() * keyDim);
        Value k = linear("attn_k", x, h.kvHeads() * keyDim);
        Value v = linear("attn_v", x, h.kvHeads() * valueDim);
        if (style.headNorms()) {
            q = headNorm("attn_q_norm", q, keyDim);
            k = headNorm("attn_k_norm", k, keyDim);
        }
        Op rope = new Op.Rope(style.pairing(), style.rope(), keyDim, 0);
        q = graph.add(label("attn_q_rope"), rope, q);
        k = graph.add(label("attn_k_rope"), rope, k);
        String slot = label("kv");
        graph.state(new StateSpec.Kv(slot, h.kvHeads(), keyDim, valueDim, kvType, style.window()));
        Op attention = new Op.Attention(
                slot,
                h.heads(),
                (float) (1.0 / StrictMath.sqrt(keyDim)),
                0f,
                Optional.empty(),
                Op.Attention.InStep.ANCESTORS);
        Value attended = graph.add(label("attn"), attention, q, k, v);
        return linear("attn_output", attended, h.hidden());
    }

    private Value headNorm(String name, Value x, int headDim) {
        WeightRef gain = tensors.required(label(name) + ".weight", headDim);
        return graph.add(label(name), new Op.RmsNorm(Optional.of(gain), headDim, h.rmsEpsilon()), x);
    }

    /** down(activation(gate(x)) * up(x)). */
    Value gatedFeedForward(Activation activation, Value x) {
        Value gate = linear("ffn_gate", x, h.feedForward());
        Value up = linear("ffn_up", x, h.feedForward());
        Value gated = graph.add(label("ffn_act"), new Op.Gate(activation), gate, up);
        return linear("ffn_down", gated, h.hidden());
    }

    /** Routed experts, each a gated unit. */
    Value experts(Op.MoeRoute.Scoring scoring, boolean renormalise, Activation activation, Value x) {
        int count = h.experts();
        int width = h.positive("expert_feed_forward_length").orElseGet(h::feedForward);
        Value scores = linear("ffn_gate_inp", x, count, Op.Arithmetic.REFERENCE);
        Op route =
                new Op.MoeRoute(count, h.expertsUsed(), scoring, renormalise, 1f, Optional.empty(), Optional.empty());
        List<Value> chosen = graph.addAll(label("ffn_route"), route, scores);
        Value ids = chosen.get(0);
        Value gate = expert("ffn_gate_exps", x, ids, count, width, h.hidden());
        Value up = expert("ffn_up_exps", x, ids, count, width, h.hidden());
        Value gated = graph.add(label("ffn_act_exps"), new Op.Gate(activation), gate, up);
        Value down = expert("ffn_down_exps", gated, ids, count, h.hidden(), width);
        return graph.add(label("ffn_combine"), new Op.MoeCombine(), down, chosen.get(1));
    }

    private Value expert(String name, Value x, Value ids, int count, int out, int in) {
        WeightRef weight = tensors.required(label(name) + ".weight", count, out, in);
        Optional<WeightRef> bias = tensors.optional(label(name) + ".bias", count, out);
        return graph.add(label(name), new Op.MoeMatMul(weight, bias), x, ids);
    }
}
