package dev.tandem.drafts.dflash;

import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a drafter computes. The context graph turns the target's hidden states into keys and values, once per committed
 * position: {@code H = norm(fc [h_1; h_2; ...])}, and per layer {@code K = rope(norm(W_k H))}, {@code V = W_v H}. The
 * block graph runs the layers over the current token and the masks; each row sees the context and the block.
 */
final class BlockGraphs {
    /** Outputs of the block graph: the best tokens of each selected row and their log-probabilities. */
    static final String IDS = "ids";

    static final String LOG_PROBS = "log_probs";

    private final DrafterFile drafter;
    private final DrafterFile.Sizes sizes;
    private final int targetHidden;

    /**
     * Graphs of a drafter.
     *
     * @param drafter its file
     * @param targetHidden columns of a tapped state
     */
    BlockGraphs(DrafterFile drafter, int targetHidden) {
        this.drafter = drafter;
        this.sizes = drafter.sizes();
        this.targetHidden = targetHidden;
    }

    /** Name of the context graph's input for a tap. */
    static String input(int tap) {
        return "tap." + tap;
    }

    /** One slot of keys and values per layer; f32, as they are few. */
    List<StateSpec> slots() {
        List<StateSpec> slots = new ArrayList<>();
        for (int layer = 0; layer < sizes.layers(); layer++) {
            slots.add(new StateSpec.Kv(
                    slot(layer),
                    sizes.kvHeads(),
                    sizes.headDim(),
                    sizes.headDim(),
                    DType.F32,
                    drafter.windows().get(layer)));
        }
        return slots;
    }

    private static String slot(int layer) {
        return "dflash." + layer + ".kv";
    }

    /** Hidden states in; nothing out but keys and values. */
    Graph context() {
        Graph.Builder graph = Graph.builder("dflash context");
        slots().forEach(graph::state);
        Value[] taps = new Value[drafter.taps().size()];
        for (int i = 0; i < taps.length; i++) {
            taps[i] = graph.input(input(i), ValueType.f32(RowSet.STEP, targetHidden));
        }
        Value joined = taps.length == 1 ? taps[0] : graph.add("taps", new Op.Concat(1), taps);
        Value fused = graph.add("fc", matMul(fusion()), joined);
        Value h = graph.add("fc_norm", norm(fusionNorm()), fused);
        for (int layer = 0; layer < sizes.layers(); layer++) {
            Value key = key(graph, layer, h);
            Value value = value(graph, layer, h);
            graph.addAll(label(layer, "append"), new Op.KvAppend(slot(layer)), key, value);
        }
        return graph.build();
    }

    /**
     * Tokens in, best tokens of the selected rows out.
     *
     * @param host lends the target's embedding and head
     * @param best number of tokens per row
     */
    Graph block(DraftHost host, int best) {
        Graph.Builder graph = Graph.builder("dflash block");
        slots().forEach(graph::state);
        Value x = host.embed(graph);
        for (int layer = 0; layer < sizes.layers(); layer++) {
            x = graph.add(label(layer, "attn_add"), new Op.Add(), x, attention(graph, layer, x));
            x = graph.add(label(layer, "ffn_add"), new Op.Add(), x, feedForward(graph, layer, x));
        }
        x = graph.add("select", new Op.SelectRows(), x);
        x = graph.add("output_norm", norm(outputNorm()), x);
        Value logits = host.logits(graph, x);
        List<Value> top = graph.addAll("top", new Op.TopKLogProb(best), logits);
        graph.output(IDS, top.get(0));
        graph.output(LOG_PROBS, top.get(1));
        return graph.build();
    }

    private Value attention(Graph.Builder graph, int layer, Value x) {
        Value input = graph.add(label(layer, "attn_norm"), norm(layerNorm(layer, "attn_norm")), x);
        Value q = graph.add(label(layer, "attn_q"), matMul(query(layer)), input);
        q = graph.add(label(layer, "attn_q_norm"), headNorm(headGain(layer, "attn_q_norm")), q);
        q = graph.add(label(layer, "attn_q_rope"), rope(), q);
        Op.Attention.InStep inStep =
                drafter.causal().get(layer) ? Op.Attention.InStep.ANCESTORS : Op.Attention.InStep.BLOCK;
        float scale = (float) (1.0 / StrictMath.sqrt(sizes.headDim()));
        Op attention = new Op.Attention(slot(layer), sizes.heads(), scale, 0f, Optional.empty(), inStep);
        Value attended =
                graph.add(label(layer, "attn"), attention, q, key(graph, layer, input), value(graph, layer, input));
        return graph.add(label(layer, "attn_output"), matMul(attentionOutput(layer)), attended);
    }

    private Value key(Graph.Builder graph, int layer, Value x) {
        Value k = graph.add(label(layer, "attn_k"), matMul(keyOrValue(layer, "attn_k")), x);
        k = graph.add(label(layer, "attn_k_norm"), headNorm(headGain(layer, "attn_k_norm")), k);
        return graph.add(label(layer, "attn_k_rope"), rope(), k);
    }

    private Value value(Graph.Builder graph, int layer, Value x) {
        return graph.add(label(layer, "attn_v"), matMul(keyOrValue(layer, "attn_v")), x);
    }

    private Value feedForward(Graph.Builder graph, int layer, Value x) {
        WeightRef gain = layerNorm(layer, "ffn_norm", "post_attention_norm");
        Value input = graph.add(label(layer, "ffn_norm"), norm(gain), x);
        Value gate = graph.add(label(layer, "ffn_gate"), matMul(widening(layer, "ffn_gate")), input);
        Value up = graph.add(label(layer, "ffn_up"), matMul(widening(layer, "ffn_up")), input);
        Value gated = graph.add(label(layer, "ffn_act"), new Op.Gate(Activation.SILU), gate, up);
        return graph.add(label(layer, "ffn_down"), matMul(narrowing(layer)), gated);
    }

    private static String label(int layer, String part) {
        return "blk." + layer + "." + part;
    }

    private static Op matMul(WeightRef weight) {
        return new Op.MatMul(weight, Optional.empty(), Op.Arithmetic.BY_PRECISION);
    }

    private Op norm(WeightRef gain) {
        return new Op.RmsNorm(Optional.of(gain), sizes.hidden(), sizes.epsilon());
    }

    private Op headNorm(WeightRef gain) {
        return new Op.RmsNorm(Optional.of(gain), sizes.headDim(), sizes.epsilon());
    }

    private Op rope() {
        return new Op.Rope(Op.Rope.Pairing.HALVES, drafter.rope(), sizes.headDim(), 0);
    }

    private WeightRef fusion() {
        List<Long> shape = List.of((long) sizes.hidden(), (long) drafter.taps().size() * targetHidden);
        return drafter.tensor(shape, "fc.weight", "dflash.fc.weight", "dflash_fc.weight");
    }

    private WeightRef fusionNorm() {
        return drafter.tensor(
                hidden(), "enc.output_norm.weight", "dflash.hidden_norm.weight", "dflash_hidden_norm.weight");
    }

    private WeightRef outputNorm() {
        return drafter.tensor(hidden(), "output_norm.weight");
    }

    private List<Long> hidden() {
        return List.of((long) sizes.hidden());
    }

    private WeightRef layerNorm(int layer, String... names) {
        return drafter.layerTensor(layer, hidden(), names);
    }

    private WeightRef headGain(int layer, String name) {
        return drafter.layerTensor(layer, List.of((long) sizes.headDim()), name);
    }

    private WeightRef query(int layer) {
        return drafter.layerTensor(
                layer, List.of((long) sizes.heads() * sizes.headDim(), (long) sizes.hidden()), "attn_q");
    }

    private WeightRef keyOrValue(int layer, String name) {
        return drafter.layerTensor(
                layer, List.of((long) sizes.kvHeads() * sizes.headDim(), (long) sizes.hidden()), name);
    }

    private WeightRef attentionOutput(int layer) {
        List<Long> shape = List.of((long) sizes.hidden(), (long) sizes.heads() * sizes.headDim());
        return drafter.layerTensor(layer, shape, "attn_output");
    }

    private WeightRef widening(int layer, String name) {
        return drafter.layerTensor(layer, List.of((long) sizes.feedForward(), (long) sizes.hidden()), name);
    }

    private WeightRef narrowing(int layer) {
        return drafter.layerTensor(layer, List.of((long) sizes.hidden(), (long) sizes.feedForward()), "ffn_down");
    }

    /**
     * Looks for every tensor before anything is loaded.
     *
     * @throws dev.tandem.spi.ModelFileException where one is missing or has another shape, with both
     */
    void requireTensors() {
        context();
        outputNorm();
        for (int layer = 0; layer < sizes.layers(); layer++) {
            layerNorm(layer, "attn_norm");
            layerNorm(layer, "ffn_norm", "post_attention_norm");
            headGain(layer, "attn_q_norm");
            query(layer);
            attentionOutput(layer);
            widening(layer, "ffn_gate");
            widening(layer, "ffn_up");
            narrowing(layer);
        }
    }
}
