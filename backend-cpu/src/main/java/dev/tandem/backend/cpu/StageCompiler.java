package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.kernel.WeightData;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.ModelId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** From nodes to stages. The switch has no default: a new op does not compile until the reference computes it. */
final class StageCompiler {
    private final Buffers buffers;
    private final List<CpuWeights> weights;
    private final CpuBackend backend;

    StageCompiler(Buffers buffers, List<CpuWeights> weights, CpuBackend backend) {
        this.buffers = buffers;
        this.weights = weights;
        this.backend = backend;
    }

    Stage compile(Node node) {
        ElementStages elements = new ElementStages(buffers, node);
        return switch (node.op()) {
            case Op.Input input -> new InputStage(input.name(), node.output(), buffers.of(node.output()));
            case Op.Output output -> context -> {};
            case Op.Embed embed -> embed(node, of(embed.table()).table(embed.table()));
            case Op.SelectRows select -> elements.selectRows();
            case Op.Concat concat -> elements.concat(concat.groups());
            case Op.Columns columns -> elements.columns(columns);
            case Op.MatMul matMul ->
                new MatMulStage(
                        node.inputs().getFirst(),
                        buffers.of(node.inputs().getFirst()),
                        buffers.of(node.output()),
                        of(matMul.weight()).matrix(matMul),
                        vector(matMul.bias()));
            case Op.RmsNorm norm -> elements.rmsNorm(norm, vector(norm.gain()));
            case Op.L2Norm norm -> elements.l2Norm(norm);
            case Op.LayerNorm norm ->
                elements.layerNorm(norm, of(norm.gain()).vectorOf(norm.gain()), vector(norm.bias()));
            case Op.Rope rope -> elements.rope(rope, backend.rope(rope.spec()));
            case Op.Add add -> elements.add();
            case Op.Multiply multiply -> elements.multiply();
            case Op.Scale scale -> elements.scale(scale.factor());
            case Op.ScaleByPosition scale -> elements.scaleByPosition(scale);
            case Op.SoftCap cap -> elements.softCap(cap.cap());
            case Op.Gate gate -> elements.gate(gate.activation());
            case Op.ClampedGate gate -> elements.clampedGate(gate);
            case Op.Attention attention -> new AttentionStage(attention, node, buffers, vector(attention.sinks()));
            case Op.KvAppend append -> {
                Value key = node.inputs().get(0);
                Value value = node.inputs().get(1);
                yield context -> AttentionStage.append(context, append.slot(), buffers.of(key), buffers.of(value));
            }
            case Op.ShortConv conv ->
                new ShortConvStage(
                        conv,
                        buffers.of(node.inputs().getFirst()),
                        buffers.of(node.output()),
                        of(conv.kernel()).vectorOf(conv.kernel()),
                        vector(conv.bias()));
            case Op.GatedDeltaRule rule ->
                new DeltaRuleStage(
                        rule,
                        node,
                        buffers,
                        of(rule.decay()).vectorOf(rule.decay()),
                        of(rule.timeBias()).vectorOf(rule.timeBias()));
            case Op.MoeRoute route -> new MoeRouteStage(route, node, buffers, vector(route.selectionBias()));
            case Op.MoeMatMul matMul ->
                new MoeMatMulStage(
                        node, buffers, of(matMul.experts()).experts(matMul.experts()), vector(matMul.bias()));
            case Op.MoeCombine combine -> elements.moeCombine();
            case Op.TopKLogProb topK -> new TopKStage(topK.k(), node, buffers);
            case Op.ArgMax argMax -> elements.argMax();
        };
    }

    private Stage embed(Node node, WeightData table) {
        Buffer out = buffers.of(node.output());
        int columns = node.output().columns();
        return context -> context.rows(context.batch().rows(), columns, (from, to, scratch) -> {
            for (int row = from; row < to; row++) {
                int token = context.batch().tokens()[row];
                if (token < 0 || token >= table.rows()) {
                    throw new IllegalArgumentException(
                            "token " + token + " is outside the vocabulary of " + table.rows());
                }
                table.dequantize(token, out.floats(), row * columns);
            }
        });
    }

    private float @Nullable [] vector(Optional<WeightRef> weight) {
        return weight.map(w -> of(w).vectorOf(w)).orElse(null);
    }

    private CpuWeights of(WeightRef weight) {
        ModelId model = weight.model();
        for (CpuWeights set : weights) {
            if (set.model().equals(model)) {
                return set;
            }
        }
        throw new IllegalArgumentException("no weights of " + model.file() + " were given for " + weight.tensor());
    }
}
