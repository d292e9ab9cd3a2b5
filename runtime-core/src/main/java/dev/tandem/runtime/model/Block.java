package dev.tandem.runtime.model;

import dev.tandem.runtime.model.LanguageModel.GraphOptions;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef;
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
    private final GraphOptions options;
    private final int layer;
    private final boolean selectQueries;

    Block(
            Graph.Builder graph,
            Hyperparameters h,
            Tensors tensors,
            GraphOptions options,
            int layer,
            boolean selectQueries) {
        this.graph = graph;
        this.h = h;
        this.tensors = tensors;
        this.options = options;
        this.layer = layer;
        this.selectQueries = selectQueries;
    }

    /**
     * How a layer attends.
     *
     * @param pairing of the rotated columns
     * @param rope angles; empty where the layer does not rotate
     * @param headNorms whether queries and keys are normalised per head
     * @param window positions seen; 0 for all
     * @param scores what is done to scores
     */
    record AttentionStyle(
            Op.Rope.Pairing pairing, Optional<RopeSpec> rope, boolean headNorms, int window, Scores scores) {
        AttentionStyle(Op.Rope.Pairing pairing, RopeSpec rope, boolean headNorms, int window) {
            this(pairing, Optional.of(rope), headNorms, window, Scores.PLAIN);
        }
    }

    /**
     * What is done to attention scores.
     *
     * @param scale multiplies each; empty for 1 / sqrt(key columns)
     * @param softCap bounds each scaled score; 0 for none
     * @param sinks whether every head has an extra logit, tensor {@code attn_sinks}
     * @param byPosition multiplies rotated queries
     */
    record Scores(Optional<Float> scale, float softCap, boolean sinks, Optional<Op.ScaleByPosition> byPosition) {
        /** Scaled by 1 / sqrt(key columns), nothing else. */
        static final Scores PLAIN = new Scores(Optional.empty(), 0f, false, Optional.empty());
    }

    private record Projections(Value query, Value key, Value value) {}

    int layer() {
        return layer;
    }

    /** Rows of the longest sequence that the graph will see. */
    int context() {
        return options.context();
    }

    String label(String part) {
        return "blk." + layer + "." + part;
    }

    /** Adds a node that is named after a part of this layer. */
    Value node(String part, Op op, Value... inputs) {
        return graph.add(label(part), op, inputs);
    }

    /** The ids of a routing, of which the weights are not wanted. */
    Value ids(String part, Op.MoeRoute route, Value scores) {
        return graph.addAll(label(part), route, scores).getFirst();
    }

    /** Declares the keys and values of this layer and answers with their slot's name. */
    String keysAndValues(int heads, int keyDim, int valueDim, int window) {
        String slot = label("kv");
        graph.state(new StateSpec.Kv(slot, heads, keyDim, valueDim, options.kvType(), window));
        return slot;
    }

    /** Declares the inputs that a short convolution remembers and answers with their slot's name. */
    String convolution(int channels, int width) {
        String slot = label("conv");
        graph.state(new StateSpec.ConvWindow(slot, channels, width));
        return slot;
    }

    boolean has(String tensor) {
        return tensors.has(label(tensor));
    }

    /** A tensor of this layer that must be there with this shape, slowest dimension first. */
    WeightRef weight(String tensor, long... shape) {
        return tensors.required(label(tensor), shape);
    }

    /** A tensor of this layer that, where it is there, has this shape. */
    Optional<WeightRef> optionalWeight(String tensor, long... shape) {
        return tensors.optional(label(tensor), shape);
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

    /** Some columns of a value that holds the results of several matrices side by side. */
    Value part(String name, Value x, int first, int count) {
        return graph.add(label(name), new Op.Columns(1, first, count), x);
    }

    /** The rows that have queries. */
    Value queried(Value x) {
        return selectQueries ? graph.add(label("attn_select"), new Op.SelectRows(), x) : x;
    }

    /** Grouped-query attention with its projections, from normalised input to output projection. */
    Value attention(AttentionStyle style, Value x) {
        int keyDim = h.keyDim();
        int valueDim = h.valueDim();
        Projections in = project(x);
        Value q = in.query();
        Value k = in.key();
        if (style.headNorms()) {
            q = headNorm("attn_q_norm", q, keyDim);
            k = headNorm("attn_k_norm", k, keyDim);
        }
        if (style.rope().isPresent()) {
            Op rope = new Op.Rope(style.pairing(), style.rope().get(), keyDim, 0);
            q = graph.add(label("attn_q_rope"), rope, q);
            k = graph.add(label("attn_k_rope"), rope, k);
        }
        if (style.scores().byPosition().isPresent()) {
            q = graph.add(label("attn_q_scale"), style.scores().byPosition().get(), q);
        }
        String slot = keysAndValues(h.kvHeads(), keyDim, valueDim, style.window());
        Scores scores = style.scores();
        Op attention = new Op.Attention(
                slot,
                h.heads(),
                scores.scale().orElseGet(() -> (float) (1.0 / StrictMath.sqrt(keyDim))),
                scores.softCap(),
                scores.sinks()
                        ? Optional.of(tensors.required(label("attn_sinks.weight"), h.heads()))
                        : Optional.empty(),
                Op.Attention.InStep.ANCESTORS);
        Value attended = graph.add(label("attn"), attention, q, k, in.value());
        return linear("attn_output", attended, h.hidden());
    }

    /** Queries, keys and values, from one tensor where the file has fused them: all queries, all keys, all values. */
    private Projections project(Value x) {
        int queries = h.heads() * h.keyDim();
        int keys = h.kvHeads() * h.keyDim();
        int values = h.kvHeads() * h.valueDim();
        if (tensors.has(label("attn_qkv.weight"))) {
            Value fused = linear("attn_qkv", x, queries + keys + values);
            return new Projections(
                    queried(part("attn_q", fused, 0, queries)),
                    part("attn_k", fused, queries, keys),
                    part("attn_v", fused, queries + keys, values));
        }
        return new Projections(
                linear("attn_q", queried(x), queries), linear("attn_k", x, keys), linear("attn_v", x, values));
    }

    private Value headNorm(String name, Value x, int headDim) {
        WeightRef gain = tensors.required(label(name) + ".weight", headDim);
        return graph.add(label(name), new Op.RmsNorm(Optional.of(gain), headDim, h.rmsEpsilon()), x);
    }

    /** down(activation(gate(x)) * up(x)). */
    Value gatedFeedForward(Activation activation, Value x) {
        return gatedFeedForward("", h.feedForward(), activation, x);
    }

    /**
     * {@link #gatedFeedForward} of another width.
     *
     * @param suffix of the tensors' names, such as {@code _shexp}
     */
    Value gatedFeedForward(String suffix, int width, Activation activation, Value x) {
        Value gate = linear("ffn_gate" + suffix, x, width);
        Value up = linear("ffn_up" + suffix, x, width);
        Value gated = graph.add(label("ffn_act" + suffix), new Op.Gate(activation), gate, up);
        return linear("ffn_down" + suffix, gated, h.hidden());
    }

    /** {@link #gatedFeedForward} whose gate and up projections, in this order, are the rows of {@code ffn_up}. */
    Value fusedFeedForward(Activation activation, Value x) {
        int width = h.feedForward();
        Value fused = linear("ffn_up", x, 2 * width);
        Value gate = part("ffn_gate", fused, 0, width);
        Value gated = graph.add(label("ffn_act"), new Op.Gate(activation), gate, part("ffn_up", fused, width, width));
        return linear("ffn_down", gated, h.hidden());
    }

    /** Routed experts, each a gated unit. */
    Value experts(Op.MoeRoute.Scoring scoring, boolean renormalise, Activation activation, Value x) {
        return experts(scoring, renormalise, new Op.Gate(activation), x);
    }

    /**
     * Routed experts.
     *
     * @param unit joins an expert's gate and up projections
     */
    Value experts(Op.MoeRoute.Scoring scoring, boolean renormalise, Op unit, Value x) {
        return experts(
                new Op.MoeRoute(
                        h.experts(), h.expertsUsed(), scoring, renormalise, 1f, Optional.empty(), Optional.empty()),
                unit,
                x);
    }

    /** Routed experts; gate and up projections, in this order, may be the rows of one tensor. */
    Value experts(Op.MoeRoute route, Op unit, Value x) {
        int count = route.experts();
        int width = h.expertWidth();
        Value scores = linear("ffn_gate_inp", x, count, Op.Arithmetic.REFERENCE);
        List<Value> chosen = graph.addAll(label("ffn_route"), route, scores);
        Value ids = chosen.get(0);
        Value gate;
        Value up;
        if (has("ffn_gate_up_exps.weight")) {
            Value fused = expert("ffn_gate_up_exps", x, ids, count, 2 * width, h.hidden());
            gate = node("ffn_gate_exps", new Op.Columns(route.used(), 0, width), fused);
            up = node("ffn_up_exps", new Op.Columns(route.used(), width, width), fused);
        } else {
            gate = expert("ffn_gate_exps", x, ids, count, width, h.hidden());
            up = expert("ffn_up_exps", x, ids, count, width, h.hidden());
        }
        Value gated = graph.add(label("ffn_act_exps"), unit, gate, up);
        Value down = expert("ffn_down_exps", gated, ids, count, h.hidden(), width);
        return graph.add(label("ffn_combine"), new Op.MoeCombine(), down, chosen.get(1));
    }

    private Value expert(String name, Value x, Value ids, int count, int out, int in) {
        WeightRef weight = tensors.required(label(name) + ".weight", count, out, in);
        Optional<WeightRef> bias = tensors.optional(label(name) + ".bias", count, out);
        return graph.add(label(name), new Op.MoeMatMul(weight, bias), x, ids);
    }
}
