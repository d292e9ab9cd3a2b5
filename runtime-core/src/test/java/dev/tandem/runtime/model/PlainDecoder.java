package dev.tandem.runtime.model;

import dev.tandem.spi.model.TensorInfo;
import dev.tandem.testkit.MemoryModel;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A decoder in double precision, row by row from the published definitions. It shares no code with the engine and reads
 * its shapes from the tensors; what no tensor shows, a test sets.
 */
final class PlainDecoder {
    private final MemoryModel model;
    private final int layers;

    /** Radians per position of each pair; none for a layer that does not rotate. */
    final double[] @Nullable [] frequencies;

    boolean halves = true;
    double rotationScale = 1;
    IntUnaryOperator window = layer -> 0;
    double scoreScale = 1 / Math.sqrt(Recipe.HEAD_DIM);
    DoubleUnaryOperator scoreCap = s -> s;
    DoubleUnaryOperator logitCap = s -> s;
    IntToDoubleFunction queryScale = position -> 1;
    double embeddingScale = 1;
    DoubleUnaryOperator activation = x -> x / (1 + Math.exp(-x));
    boolean clampedExperts;

    PlainDecoder(MemoryModel model, int layers) {
        this.model = model;
        this.layers = layers;
        this.frequencies = new double[layers][];
    }

    static DoubleUnaryOperator cap(double cap) {
        return x -> cap * Math.tanh(x / cap);
    }

    static double geluTanh(double x) {
        return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
    }

    private boolean has(String name) {
        return model.tensor(name).isPresent();
    }

    private double[] tensor(String name) {
        TensorInfo info = model.tensor(name).orElseThrow(() -> new IllegalArgumentException(name));
        float[] values = model.data(info).toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
        return IntStream.range(0, values.length).mapToDouble(i -> values[i]).toArray();
    }

    /** W x + b of the {@code which}-th matrix of a tensor. */
    private double[] linear(String name, int which, double[] x) {
        double[] w = tensor(name + ".weight");
        int matrices = Math.max(1, expertsIn(name));
        int out = w.length / matrices / x.length;
        double[] bias = has(name + ".bias") ? tensor(name + ".bias") : new double[out * matrices];
        double[] y = new double[out];
        for (int o = 0; o < out; o++) {
            y[o] = bias[which * out + o];
            for (int i = 0; i < x.length; i++) {
                y[o] += w[(which * out + o) * x.length + i] * x[i];
            }
        }
        return y;
    }

    private static int expertsIn(String name) {
        return name.endsWith("_exps") ? Recipe.EXPERTS : 1;
    }

    private double[] norm(String name, double[] x) {
        double[] gain = tensor(name + ".weight");
        double[] y = new double[x.length];
        for (int group = 0; group < x.length; group += gain.length) {
            double squares = 0;
            for (int i = 0; i < gain.length; i++) {
                squares += x[group + i] * x[group + i];
            }
            for (int i = 0; i < gain.length; i++) {
                y[group + i] = x[group + i] / Math.sqrt(squares / gain.length + 1e-5) * gain[i];
            }
        }
        return y;
    }

    /** Logits after every token. */
    double[][] logits(int[] tokens) {
        double[] table = tensor("token_embd.weight");
        double[][] x = new double[tokens.length][Recipe.HIDDEN];
        for (int p = 0; p < tokens.length; p++) {
            for (int i = 0; i < Recipe.HIDDEN; i++) {
                x[p][i] = table[tokens[p] * Recipe.HIDDEN + i] * embeddingScale;
            }
        }
        for (int layer = 0; layer < layers; layer++) {
            String blk = "blk." + layer + ".";
            double[][] attended = attention(blk, layer, x);
            for (int p = 0; p < tokens.length; p++) {
                boolean postNorms = has(blk + "post_ffw_norm.weight");
                add(x[p], postNorms ? norm(blk + "post_attention_norm", attended[p]) : attended[p]);
                double[] normed = norm(blk + (has(blk + "ffn_norm.weight") ? "ffn_norm" : "post_attention_norm"), x[p]);
                double[] y = has(blk + "ffn_gate_inp.weight") ? experts(blk, normed) : feedForward(blk, normed);
                add(x[p], postNorms ? norm(blk + "post_ffw_norm", y) : y);
            }
        }
        for (int p = 0; p < tokens.length; p++) {
            double[] normed = norm("output_norm", x[p]);
            double[] logits = has("output.weight") ? linear("output", 0, normed) : tied(table, normed);
            x[p] = IntStream.range(0, logits.length)
                    .mapToDouble(i -> logitCap.applyAsDouble(logits[i]))
                    .toArray();
        }
        return x;
    }

    private double[] tied(double[] table, double[] x) {
        double[] y = has("output.bias") ? tensor("output.bias") : new double[Recipe.VOCABULARY];
        for (int i = 0; i < table.length; i++) {
            y[i / x.length] += table[i] * x[i % x.length];
        }
        return y;
    }

    private static void add(double[] x, double[] y) {
        for (int i = 0; i < x.length; i++) {
            x[i] += y[i];
        }
    }

    private double[][] attention(String blk, int layer, double[][] x) {
        int rows = x.length;
        double[][] q = new double[rows][];
        double[][] k = new double[rows][];
        double[][] v = new double[rows][];
        for (int p = 0; p < rows; p++) {
            double[] normed = norm(blk + "attn_norm", x[p]);
            if (has(blk + "attn_qkv.weight")) {
                double[] all = linear(blk + "attn_qkv", 0, normed);
                int queries = Recipe.HEADS * Recipe.HEAD_DIM;
                int keys = Recipe.KV_HEADS * Recipe.HEAD_DIM;
                q[p] = Arrays.copyOfRange(all, 0, queries);
                k[p] = Arrays.copyOfRange(all, queries, queries + keys);
                v[p] = Arrays.copyOfRange(all, queries + keys, queries + 2 * keys);
            } else {
                q[p] = linear(blk + "attn_q", 0, normed);
                k[p] = linear(blk + "attn_k", 0, normed);
                v[p] = linear(blk + "attn_v", 0, normed);
            }
            if (has(blk + "attn_q_norm.weight")) {
                q[p] = norm(blk + "attn_q_norm", q[p]);
                k[p] = norm(blk + "attn_k_norm", k[p]);
            }
            rotate(q[p], layer, p);
            rotate(k[p], layer, p);
        }
        double[] sinks = has(blk + "attn_sinks.weight") ? tensor(blk + "attn_sinks.weight") : null;
        double[][] y = new double[rows][];
        for (int p = 0; p < rows; p++) {
            double[] heads = new double[Recipe.HEADS * Recipe.HEAD_DIM];
            for (int head = 0; head < Recipe.HEADS; head++) {
                attend(layer, p, head, q[p], k, v, sinks == null ? 0 : Math.exp(sinks[head]), heads);
            }
            y[p] = linear(blk + "attn_output", 0, heads);
        }
        return y;
    }

    private void attend(
            int layer, int p, int head, double[] q, double[][] k, double[][] v, double sink, double[] heads) {
        int size = Recipe.HEAD_DIM;
        int kv = head / (Recipe.HEADS / Recipe.KV_HEADS) * size;
        int seen = window.applyAsInt(layer);
        double total = sink;
        double[] sum = new double[size];
        for (int j = 0; j <= p; j++) {
            if (seen > 0 && p - j >= seen) {
                continue;
            }
            double score = 0;
            for (int i = 0; i < size; i++) {
                score += q[head * size + i] * k[j][kv + i];
            }
            double weight = Math.exp(scoreCap.applyAsDouble(score * scoreScale * queryScale.applyAsDouble(p)));
            total += weight;
            for (int i = 0; i < size; i++) {
                sum[i] += weight * v[j][kv + i];
            }
        }
        for (int i = 0; i < size; i++) {
            heads[head * size + i] = sum[i] / total;
        }
    }

    private void rotate(double[] x, int layer, int position) {
        double[] turns = frequencies[layer];
        if (turns == null) {
            return;
        }
        for (int head = 0; head < x.length; head += Recipe.HEAD_DIM) {
            for (int i = 0; i < turns.length; i++) {
                int a = head + (halves ? i : 2 * i);
                int b = halves ? a + turns.length : a + 1;
                double cos = Math.cos(position * turns[i]) * rotationScale;
                double sin = Math.sin(position * turns[i]) * rotationScale;
                double left = x[a];
                x[a] = left * cos - x[b] * sin;
                x[b] = x[b] * cos + left * sin;
            }
        }
    }

    private double[] feedForward(String blk, double[] x) {
        double[] gate;
        double[] up = linear(blk + "ffn_up", 0, x);
        if (has(blk + "ffn_gate.weight")) {
            gate = linear(blk + "ffn_gate", 0, x);
        } else {
            gate = Arrays.copyOf(up, up.length / 2);
            up = Arrays.copyOfRange(up, up.length / 2, up.length);
        }
        return linear(blk + "ffn_down", 0, unit(gate, up));
    }

    private double[] unit(double[] gate, double[] up) {
        double[] y = new double[gate.length];
        for (int i = 0; i < y.length; i++) {
            double g = clampedExperts ? Math.min(gate[i], 7) : gate[i];
            double u = clampedExperts ? Math.clamp(up[i], -7, 7) + 1 : up[i];
            y[i] = (clampedExperts ? g / (1 + Math.exp(-1.702 * g)) : activation.applyAsDouble(g)) * u;
        }
        return y;
    }

    /** Softmax over the chosen experts: the same as softmax over all, then renormalised. */
    private double[] experts(String blk, double[] x) {
        double[] scores = linear(blk + "ffn_gate_inp", 0, x);
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, scores.length).boxed().toList());
        order.sort(Comparator.comparingDouble(e -> -scores[e]));
        double total = 0;
        double[] y = new double[x.length];
        for (int expert : order.subList(0, Recipe.EXPERTS_USED)) {
            double weight = Math.exp(scores[expert]);
            total += weight;
            double[] unit = unit(linear(blk + "ffn_gate_exps", expert, x), linear(blk + "ffn_up_exps", expert, x));
            double[] part = linear(blk + "ffn_down_exps", expert, unit);
            for (int i = 0; i < y.length; i++) {
                y[i] += weight * part[i];
            }
        }
        double sum = total;
        return Arrays.stream(y).map(value -> value / sum).toArray();
    }
}
