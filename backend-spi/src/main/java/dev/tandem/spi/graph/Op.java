package dev.tandem.spi.graph;

import java.util.List;
import java.util.Optional;

/**
 * The closed op set of this version of the contract.
 *
 * <p>Common to all ops, unless a record says otherwise:
 *
 * <ul>
 *   <li><i>Types</i>: inputs and outputs are f32; rows of the output are those of the first input.
 *   <li><i>Aliasing</i>: an op does not change its inputs. A backend may reuse an input's memory for the output when no
 *       later node reads the input.
 *   <li><i>Tolerance</i>: none. Finite results are equal as bits to those of the numeric contract; accuracy against
 *       float64 is measured apart.
 *   <li><i>Threading</i>: a row's result does not depend on how work is divided (N1).
 *   <li><i>Lifetime</i>: values live during one run; outputs until the same executable runs again.
 * </ul>
 */
public sealed interface Op {

    /**
     * Rows supplied by the caller: tapped states, recycled hidden states, values that another backend computed.
     *
     * <p><i>Formula</i>: the rows named so in the batch. <i>Shapes</i>: none to {@code [any rows, any columns]}.
     * <i>Types</i>: f32 or i32.
     *
     * @param name unique in the graph
     */
    record Input(String name) implements Op {}

    /**
     * Rows of an embedding table.
     *
     * <p><i>Formula</i>: y = dequantise(table[token]), in both precisions. <i>Shapes</i>: the batch's tokens to
     * {@code f32[step, columns]}; the table is {@code [vocabulary, columns]}. <i>Types</i>: any weight type.
     *
     * @param table the embedding table
     */
    record Embed(WeightRef table) implements Op {}

    /**
     * From all rows to the selected ones.
     *
     * <p><i>Formula</i>: y[i] = x[selected[i]]. <i>Shapes</i>: {@code [step, n]} to {@code [selected, n]}.
     */
    record SelectRows() implements Op {}

    /**
     * Columns of several values side by side, group by group.
     *
     * <p><i>Formula</i>: each input is cut into {@code groups} equal pieces; the output is piece 0 of every input, then
     * piece 1 of every input, and so on. <i>Shapes</i>: two or more {@code [rows, n_i]} to {@code [rows, sum n_i]}.
     *
     * @param groups 1 for plain concatenation, the number of heads to join per head
     */
    record Concat(int groups) implements Op {}

    /**
     * Some columns of each group of columns.
     *
     * <p><i>Formula</i>: of each of {@code groups} equal pieces, columns {@code first} to {@code first + count - 1}.
     * <i>Shapes</i>: {@code [rows, n]} to {@code [rows, groups * count]}.
     *
     * @param groups 1 for plain columns, the number of heads to cut per head
     * @param first first column in a group
     * @param count columns kept of a group
     */
    record Columns(int groups, int first, int count) implements Op {}

    /**
     * A linear layer.
     *
     * <p><i>Formula</i>: y = N2(W, x), then + bias. <i>Shapes</i>: {@code [rows, in]} to {@code [rows, out]}; the weight
     * is {@code [out, in]}, the bias {@code [out]}. <i>Types</i>: any weight type; the bias is dequantised.
     *
     * @param weight the matrix
     * @param bias added last
     * @param arithmetic whether FAST may use integer dots here
     */
    record MatMul(WeightRef weight, Optional<WeightRef> bias, Arithmetic arithmetic) implements Op {}

    /** Whether the precision chosen for a run applies. */
    enum Arithmetic {
        /** Integer dots in FAST where the weight's type has them. */
        BY_PRECISION,
        /** The REFERENCE formula always: routers and other small decisive layers. */
        REFERENCE
    }

    /**
     * Root-mean-square norm over groups of columns.
     *
     * <p><i>Formula</i>: y = (x * r) * gain, r = 1 / sqrt(N2(x * x) / n + epsilon). <i>Shapes</i>: {@code [rows, n]} to
     * the same; the gain is {@code [groupSize]} (shared by the groups). <i>Types</i>: the gain is dequantised.
     *
     * @param gain per column of a group; none multiplies by nothing
     * @param groupSize columns normalised together, a divisor of n: all for a layer norm, headDim for a head norm
     * @param epsilon added to the mean square
     */
    record RmsNorm(Optional<WeightRef> gain, int groupSize, float epsilon) implements Op {}

    /**
     * Euclidean norm over groups of columns.
     *
     * <p><i>Formula</i>: y = x / max(sqrt(N2(x * x)), epsilon). <i>Shapes</i>: {@code [rows, n]} to the same.
     *
     * @param groupSize columns normalised together
     * @param epsilon smallest divisor
     */
    record L2Norm(int groupSize, float epsilon) implements Op {}

    /**
     * Layer norm.
     *
     * <p><i>Formula</i>: m = N2(x) / n; c = x - m; y = (c * r) * gain + bias, r = 1 / sqrt(N2(c * c) / n + epsilon), the
     * last step one fma when there is a bias. <i>Shapes</i>: {@code [rows, n]} to the same.
     *
     * @param gain per column
     * @param bias per column
     * @param epsilon added to the variance
     */
    record LayerNorm(WeightRef gain, Optional<WeightRef> bias, float epsilon) implements Op {}

    /**
     * Rotary position embedding.
     *
     * <p><i>Formula</i>: N3. Of each head, columns {@code offset} to {@code offset + spec.rotaryDims - 1} are rotated by
     * the angle of the row's position, the others copied. <i>Shapes</i>: {@code [rows, heads * headDim]} to the same.
     *
     * @param pairing which columns turn together
     * @param spec the angles
     * @param headDim columns of a head
     * @param offset first rotated column in a head
     */
    record Rope(Pairing pairing, RopeSpec spec, int headDim, int offset) implements Op {
        /** Which columns form a pair. */
        public enum Pairing {
            /** 2i and 2i + 1. */
            INTERLEAVED,
            /** i and i + rotaryDims / 2. */
            HALVES
        }
    }

    /** <i>Formula</i>: y = a + b. <i>Shapes</i>: two {@code [rows, n]} to the same. */
    record Add() implements Op {}

    /**
     * <i>Formula</i>: y = a * b. <i>Shapes</i>: two {@code [rows, n]} to the same; b may have one column, which serves all
     * of a.
     */
    record Multiply() implements Op {}

    /**
     * <i>Formula</i>: y = x * factor. <i>Shapes</i>: {@code [rows, n]} to the same.
     *
     * @param factor the multiplier
     */
    record Scale(float factor) implements Op {}

    /**
     * Multiplies a row by a factor that grows with the logarithm of its position.
     *
     * <p><i>Formula</i>: y = x * f, f = 1 + strength * ln(1 + floor(position / period)) in f64, rounded once to f32.
     * <i>Shapes</i>: {@code [rows, n]} to the same.
     *
     * @param strength multiplies the logarithm
     * @param period positions that share a factor
     */
    record ScaleByPosition(double strength, int period) implements Op {
        /** Checks the period. */
        public ScaleByPosition {
            if (period < 1) {
                throw new IllegalArgumentException("scale by position with a period of " + period);
            }
        }
    }

    /**
     * <i>Formula</i>: y = tanh(x / cap) * cap. <i>Shapes</i>: {@code [rows, n]} to the same.
     *
     * @param cap largest magnitude
     */
    record SoftCap(float cap) implements Op {}

    /**
     * A gated unit.
     *
     * <p><i>Formula</i>: y = activation(a) * b. <i>Shapes</i>: two {@code [rows, n]} to the same; a may have one column,
     * which serves all of b.
     *
     * @param activation applied to the first input
     */
    record Gate(Activation activation) implements Op {}

    /**
     * The clamped gated unit of gpt-oss.
     *
     * <p><i>Formula</i>: g = min(a, limit); u = max(-limit, min(b, limit)); y = (g * sigmoid(alpha * g)) * (u + 1).
     * <i>Shapes</i>: two {@code [rows, n]} to the same.
     *
     * @param alpha steepness of the sigmoid
     * @param limit bound of both inputs
     */
    record ClampedGate(float alpha, float limit) implements Op {}

    /**
     * Stores this step's keys and values in a slot, then attends.
     *
     * <p>Causality comes from the step (parents of its rows), never from the op, so one executable serves decode, chain
     * and tree. A query sees the committed rows, its ancestors in the step and itself, within the slot's window.
     *
     * <p><i>Formula</i>: N5. <i>Shapes</i>: query {@code [step or selected, heads * keyDim]}, key
     * {@code [step, kvHeads * keyDim]}, value {@code [step, kvHeads * valueDim]} to
     * {@code [rows of the query, heads * valueDim]}; query head h reads key-value head {@code h / (heads / kvHeads)}.
     *
     * @param slot a {@link StateSpec.Kv}
     * @param heads query heads, a multiple of the slot's heads
     * @param scale multiplies each score
     * @param softCap bounds each scaled score; 0 for none
     * @param sinks one extra logit per query head, {@code [heads]}
     * @param inStep which rows of the step a query sees
     */
    record Attention(String slot, int heads, float scale, float softCap, Optional<WeightRef> sinks, InStep inStep)
            implements Op {
        /** Which rows of the step a query sees besides the committed ones. */
        public enum InStep {
            /** Its ancestors and itself. */
            ANCESTORS,
            /** Every row of its slice: block drafters. */
            BLOCK
        }
    }

    /**
     * Stores keys and values only, for rows that have no query.
     *
     * <p><i>Shapes</i>: key {@code [step, kvHeads * keyDim]}, value {@code [step, kvHeads * valueDim]} to nothing.
     *
     * @param slot a {@link StateSpec.Kv}
     */
    record KvAppend(String slot) implements Op {}

    /**
     * A causal depthwise convolution along the path of each row.
     *
     * <p><i>Formula</i>: N7: y[c] = sum over t of kernel[c, t] * x[c] of the row width - 1 - t steps up the path, oldest
     * first, by fma from +0; then + bias, then the activation. <i>Shapes</i>: {@code [step, channels]} to the same; the
     * kernel is {@code [channels, width]}.
     *
     * @param slot a {@link StateSpec.ConvWindow}
     * @param kernel taps per channel, oldest first
     * @param bias per channel
     * @param activation applied last
     */
    record ShortConv(String slot, WeightRef kernel, Optional<WeightRef> bias, Optional<Activation> activation)
            implements Op {}

    /**
     * The gated delta rule (Yang et al. 2024) along the path of each row.
     *
     * <p><i>Formula</i>: per value head, g = exp(softplus(a + timeBias) * decay); beta = sigmoid(b); S = S * g;
     * u = N2(S, k); e = (v - u) * beta; S = fma(k, e, S); y = N2(S, q), S of {@code [valueDim, keyDim]}. <i>Shapes</i>:
     * q and k {@code [step, keyHeads * keyDim]}, v {@code [step, heads * valueDim]}, a and b {@code [step, heads]} to
     * {@code [step, heads * valueDim]}; decay and timeBias are {@code [heads]}.
     *
     * @param slot a {@link StateSpec.DeltaMatrix}
     * @param keyHeads heads of q and k, a divisor of the slot's heads
     * @param keySharing which key head a value head reads
     * @param decay negative rate per head
     * @param timeBias added to a
     */
    record GatedDeltaRule(String slot, int keyHeads, KeySharing keySharing, WeightRef decay, WeightRef timeBias)
            implements Op {
        /** Which key head value head h reads. */
        public enum KeySharing {
            /** {@code h / (heads / keyHeads)}. */
            GROUPED,
            /** {@code h % keyHeads}. */
            TILED
        }
    }

    /**
     * Chooses experts.
     *
     * <p><i>Formula</i>: N7; order is score descending, id ascending. <i>Shapes</i>: logits {@code [rows, experts]} to ids
     * {@code i32[rows, used]} and weights {@code f32[rows, used]}.
     *
     * @param experts number of experts
     * @param used experts per row
     * @param scoring from logits to scores
     * @param renormalise whether the chosen weights are divided by their sum
     * @param weightScale multiplies the weights last
     * @param selectionBias added to scores for the choice only, {@code [experts]}
     * @param groups limits the choice to the best groups of experts
     */
    record MoeRoute(
            int experts,
            int used,
            Scoring scoring,
            boolean renormalise,
            float weightScale,
            Optional<WeightRef> selectionBias,
            Optional<Groups> groups)
            implements Op {
        /** From logits to weights. */
        public enum Scoring {
            /** Softmax over all experts, then the best. */
            SOFTMAX_THEN_TOP,
            /** The best logits, then softmax over those. */
            TOP_THEN_SOFTMAX,
            /** Sigmoid per expert, then the best. */
            SIGMOID_THEN_TOP
        }

        /**
         * Experts in equal groups; a group's score is the sum of its two best, and only experts of the best groups count.
         *
         * @param count number of groups
         * @param used groups kept
         */
        public record Groups(int count, int used) {}
    }

    /**
     * A linear layer per chosen expert.
     *
     * <p><i>Formula</i>: for rank r, y[r] = N2(W[ids[r]], x) (+ bias[ids[r]]), x being the row, or its r-th piece when it
     * has one per rank. <i>Shapes</i>: x {@code [rows, in]} or {@code [rows, used * in]}, ids {@code i32[rows, used]} to
     * {@code [rows, used * out]}; the weight is {@code [experts, out, in]}, the bias {@code [experts, out]}.
     *
     * @param experts the matrices
     * @param bias added last
     */
    record MoeMatMul(WeightRef experts, Optional<WeightRef> bias) implements Op {}

    /**
     * Weighted sum of expert outputs.
     *
     * <p><i>Formula</i>: y = fma(weight[r], e[r], y) in rank order from +0. <i>Shapes</i>: e {@code [rows, used * n]},
     * weights {@code [rows, used]} to {@code [rows, n]}.
     */
    record MoeCombine() implements Op {}

    /**
     * The k best columns and their log-probabilities.
     *
     * <p><i>Formula</i>: order is value descending, id ascending, NaN last; log-probability is
     * {@code x * t - logSumExp(x * t)} by N2, with t the second input (inverse temperature) or 1.
     * <i>Shapes</i>: {@code [rows, n]} and optionally {@code [rows, 1]} to {@code i32[rows, k]} and {@code f32[rows, k]}.
     *
     * @param k from 1 to n
     */
    record TopKLogProb(int k) implements Op {}

    /**
     * The best column.
     *
     * <p><i>Formula</i>: largest value, lowest id on a tie, NaN last. <i>Shapes</i>: {@code [rows, n]} to
     * {@code i32[rows, 1]}.
     */
    record ArgMax() implements Op {}

    /**
     * Names a result. A tap is an output like any other; what a run computes is the outputs that its batch asks for.
     *
     * <p><i>Shapes</i>: any value to nothing.
     *
     * @param name unique in the graph
     */
    record Output(String name) implements Op {}

    /**
     * Name of the op as printed.
     *
     * @return the record's name
     */
    default String name() {
        return getClass().getSimpleName();
    }

    /**
     * Weights that the op reads, the largest first.
     *
     * @return references as they stand in the record
     */
    default List<WeightRef> weights() {
        return OpWeights.of(this);
    }
}
