package dev.tandem.gpu;

import dev.tandem.gpu.weights.GpuWeights;
import dev.tandem.spi.backend.Backend.Support;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.WeightRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** From nodes to stages. */
final class StageCompiler {
    private final Graph graph;
    private final List<GpuWeights> weights;
    private final GpuBackend backend;
    private final Workbench bench;
    private final StepData data;
    private final StepTable table;
    private final Map<RopeSpec, StepRows> angles = new HashMap<>();

    StageCompiler(
            Graph graph,
            List<GpuWeights> weights,
            GpuBackend backend,
            Workbench bench,
            StepData data,
            StepTable table) {
        this.graph = graph;
        this.weights = weights;
        this.backend = backend;
        this.bench = bench;
        this.data = data;
        this.table = table;
    }

    Stage compile(Node node) {
        if (Supported.of(node) instanceof Support.No no) {
            throw new IllegalArgumentException(node.label() + ": " + no.reason());
        }
        ElementStages elements = new ElementStages(backend.gpu(), node);
        return switch (node.op()) {
            case Op.Input input -> new InputStage(backend, input.name(), node.output());
            case Op.Output _ -> context -> {};
            case Op.Embed embed -> embed(node, embed);
            case Op.SelectRows _ -> elements.selectRows(table);
            case Op.Concat concat -> elements.concat(concat.groups());
            case Op.Columns columns -> elements.columns(columns);
            case Op.Rope rope -> elements.rope(rope, table, angles.computeIfAbsent(rope.spec(), this::angles));
            case Op.Add _ -> elements.add();
            case Op.Multiply _ -> elements.multiply();
            case Op.Scale scale -> elements.scale(scale.factor());
            case Op.ScaleByPosition scale ->
                elements.scaleByPosition(
                        data.add(StepRows.factors(scale, node.output().type().rows())));
            case Op.SoftCap cap -> elements.softCap(cap.cap());
            case Op.Gate gate -> elements.gate(gate.activation());
            case Op.ClampedGate gate -> elements.clampedGate(gate);
            default -> compileWithWeights(node);
        };
    }

    private Stage compileWithWeights(Node node) {
        NormStages norms = new NormStages(backend.gpu(), node);
        return switch (node.op()) {
            case Op.RmsNorm norm -> norms.rmsNorm(norm, vector(norm.gain()));
            case Op.L2Norm norm -> norms.l2Norm(norm);
            case Op.LayerNorm norm -> norms.layerNorm(norm, vector(Optional.of(norm.gain())), vector(norm.bias()));
            case Op.MatMul matMul ->
                new MatMulStage(bench, node, of(matMul.weight()).matrix(matMul), vector(matMul.bias()));
            case Op.MoeMatMul moe ->
                new MatMulStage(bench, node, of(moe.experts()).matrices(moe), vector(moe.bias()));
            case Op.MoeRoute route -> new MoeRouteStage(backend.gpu(), node, route, vector(route.selectionBias()));
            case Op.MoeCombine _ -> new ElementStages(backend.gpu(), node).moeCombine();
            case Op.Attention attention ->
                new AttentionStage(bench, node, attention, slot(attention.slot()), table, vector(attention.sinks()));
            case Op.KvAppend append -> new KvAppendStage(backend.gpu(), node, 0, slot(append.slot()), table);
            case Op.TopKLogProb topK -> new RankStages(bench, node).topK(topK.k());
            case Op.ArgMax _ -> new RankStages(bench, node).argMax();
            default ->
                throw new IllegalArgumentException(
                        node.label() + ": there is no kernel for " + node.op().name());
        };
    }

    /** Rows of the table come from the file with the step, so that the device need not hold it. */
    private Stage embed(Node node, Op.Embed embed) {
        StepRows rows = data.add(StepRows.embedding(of(embed.table()).table(embed.table())));
        return new Stage() {
            @Override
            public void place(RunContext context) {
                context.scratch().place(node.output(), rows.address());
            }

            @Override
            public void run(RunContext context) {}
        };
    }

    private StepRows angles(RopeSpec spec) {
        return data.add(StepRows.rope(backend.rope(spec)));
    }

    private StateSpec.Kv slot(String name) {
        return graph.states().stream()
                .filter(spec -> spec.slot().equals(name))
                .filter(StateSpec.Kv.class::isInstance)
                .map(StateSpec.Kv.class::cast)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(graph.name() + " has no keys and values " + name));
    }

    /** Address of a vector, or 0. */
    private long vector(Optional<WeightRef> weight) {
        return weight.map(w -> of(w).vector(w)).orElse(0L);
    }

    private GpuWeights of(WeightRef weight) {
        return weights.stream()
                .filter(set -> set.model().equals(weight.model()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no weights of " + weight.model().file() + " were given for " + weight.tensor()));
    }
}
