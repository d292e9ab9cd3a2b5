package dev.tandem.gpu;

import dev.tandem.gpu.weights.GpuWeights;
import dev.tandem.spi.backend.Backend.Support;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.WeightRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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

    /** Compiles a node of the graph; a norm may take over the addition before it. */
    Stage compile(int index) {
        Node node = graph.nodes().get(index);
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
            case Op.Gate gate
            when rounded(node.output()) && GateQuantizeStage.fits(node) -> new GateQuantizeStage(bench, node, gate);
            case Op.Gate gate -> elements.gate(gate.activation());
            case Op.ClampedGate gate -> elements.clampedGate(gate);
            case Op.RmsNorm norm
            when takesRounding(node, norm) ->
                new NormQuantizeStage(bench, additionBefore(index), node, norm, vector(norm.gain()));
            default -> compileWithWeights(node);
        };
    }

    /** Whether a node's work is done by the one after it, if that is computed at all. */
    boolean takenOver(int index) {
        return index + 1 < graph.nodes().size()
                && graph.nodes().get(index + 1).op() instanceof Op.RmsNorm norm
                && takesRounding(graph.nodes().get(index + 1), norm)
                && additionBefore(index + 1) != null;
    }

    private boolean takesRounding(Node node, Op.RmsNorm norm) {
        return NormQuantizeStage.fits(norm, node.output()) && rounded(node.output());
    }

    /** The node just before, where it is the addition that a node reads. */
    private @Nullable Node additionBefore(int index) {
        Node before = index == 0 ? null : graph.nodes().get(index - 1);
        boolean reads = before != null
                && before.op() instanceof Op.Add
                && before.output().equals(graph.nodes().get(index).inputs().getFirst());
        return reads ? before : null;
    }

    /** Whether a matrix reads a value by integer dots. */
    private boolean rounded(Value value) {
        return graph.nodes().stream()
                .filter(node ->
                        !node.inputs().isEmpty() && node.inputs().getFirst().equals(value))
                .anyMatch(node -> switch (node.op()) {
                    case Op.MatMul matMul ->
                        of(matMul.weight()).matrix(matMul).form().integer();
                    case Op.MoeMatMul moe ->
                        of(moe.experts()).matrices(moe).form().integer()
                                && moe.experts().columns() == value.columns();
                    default -> false;
                });
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
                new AttentionStage(
                        bench,
                        node,
                        attention,
                        slot(attention.slot()),
                        table,
                        vector(attention.sinks()),
                        rounded(node.output()));
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
