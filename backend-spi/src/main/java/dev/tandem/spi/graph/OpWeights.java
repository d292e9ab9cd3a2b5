package dev.tandem.spi.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lists the weights of an op. */
final class OpWeights {
    private OpWeights() {}

    static List<WeightRef> of(Op op) {
        return switch (op) {
            case Op.Embed embed -> List.of(embed.table());
            case Op.MatMul matMul -> with(matMul.weight(), matMul.bias());
            case Op.RmsNorm norm -> norm.gain().stream().toList();
            case Op.LayerNorm norm -> with(norm.gain(), norm.bias());
            case Op.Attention attention -> attention.sinks().stream().toList();
            case Op.ShortConv conv -> with(conv.kernel(), conv.bias());
            case Op.GatedDeltaRule rule -> List.of(rule.decay(), rule.timeBias());
            case Op.MoeRoute route -> route.selectionBias().stream().toList();
            case Op.MoeMatMul matMul -> with(matMul.experts(), matMul.bias());
            case Op.Input input -> List.of();
            case Op.Output output -> List.of();
            case Op.SelectRows select -> List.of();
            case Op.Concat concat -> List.of();
            case Op.Columns columns -> List.of();
            case Op.L2Norm norm -> List.of();
            case Op.Rope rope -> List.of();
            case Op.Add add -> List.of();
            case Op.Multiply multiply -> List.of();
            case Op.Scale scale -> List.of();
            case Op.ScaleByPosition scale -> List.of();
            case Op.SoftCap cap -> List.of();
            case Op.Gate gate -> List.of();
            case Op.ClampedGate gate -> List.of();
            case Op.KvAppend append -> List.of();
            case Op.MoeCombine combine -> List.of();
            case Op.TopKLogProb topK -> List.of();
            case Op.ArgMax argMax -> List.of();
        };
    }

    private static List<WeightRef> with(WeightRef weight, Optional<WeightRef> other) {
        List<WeightRef> weights = new ArrayList<>(List.of(weight));
        other.ifPresent(weights::add);
        return weights;
    }
}
