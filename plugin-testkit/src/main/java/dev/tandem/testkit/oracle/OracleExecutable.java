package dev.tandem.testkit.oracle;

import dev.tandem.spi.backend.Backend.CompileOptions;
import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Interprets a graph node by node. The switch has no default: the judge knows every op. */
final class OracleExecutable implements Executable {
    private final Graph graph;
    private final CompileOptions options;
    private final List<OracleWeights> weights;

    OracleExecutable(Graph graph, CompileOptions options, List<OracleWeights> weights) {
        this.graph = graph;
        this.options = options;
        this.weights = weights;
        OracleRun lookUp = new OracleRun(
                new Batch(
                        new int[0],
                        new int[0],
                        List.of(),
                        new int[0],
                        Map.of(),
                        graph.outputs().keySet()),
                options.precision(),
                weights);
        for (WeightRef weight : graph.weights()) {
            lookUp.weight(weight);
        }
    }

    @Override
    public Step run(Batch batch) {
        long start = System.nanoTime();
        if (batch.rows() > options.maxStepRows()) {
            throw new IllegalArgumentException(
                    graph.name() + " was compiled for " + options.maxStepRows() + " rows, not " + batch.rows());
        }
        OracleRun run = new OracleRun(batch, options.precision(), weights);
        graph.nodes().forEach(node -> compute(run, node));
        Map<String, Rows> results = new HashMap<>();
        graph.outputs().forEach((name, value) -> {
            if (batch.outputs().contains(name)) {
                results.put(name, rows(value, run.value(value)));
            }
        });
        return new OracleStep(results, System.nanoTime() - start);
    }

    private static Rows rows(Value value, Table table) {
        MemorySegment data = value.type().type() == DType.F32
                ? MemorySegment.ofArray(table.floats().clone())
                : MemorySegment.ofArray(table.ints().clone());
        return new Rows.Host(value.type(), table.rows(), data);
    }

    private static void compute(OracleRun run, Node node) {
        switch (node.op()) {
            case Op.Input input -> input(run, input.name(), node.output());
            case Op.Output output -> {}
            case Op.Embed embed -> OracleLinear.embed(run, node, embed);
            case Op.SelectRows select -> OracleElements.selectRows(run, node);
            case Op.Concat concat -> OracleElements.concat(run, node, concat.groups());
            case Op.Columns columns -> OracleElements.columns(run, node, columns);
            case Op.MatMul matMul -> OracleLinear.matMul(run, node, matMul);
            case Op.RmsNorm norm -> OracleNorms.rms(run, node, norm);
            case Op.L2Norm norm -> OracleNorms.l2(run, node, norm);
            case Op.LayerNorm norm -> OracleNorms.layer(run, node, norm);
            case Op.Rope rope -> OracleNorms.rope(run, node, rope);
            case Op.Add add -> OracleElements.binary(run, node, (a, b) -> a + b);
            case Op.Multiply multiply -> OracleElements.binary(run, node, (a, b) -> a * b);
            case Op.Scale scale -> OracleElements.unary(run, node, x -> x * scale.factor());
            case Op.ScaleByPosition scale -> OracleElements.scaleByPosition(run, node, scale);
            case Op.SoftCap cap -> OracleElements.unary(run, node, x -> Math.tanh(x / cap.cap()) * cap.cap());
            case Op.Gate gate -> OracleElements.binary(run, node, (a, b) -> Reals.activate(gate.activation(), a) * b);
            case Op.ClampedGate gate -> OracleElements.binary(run, node, (a, b) -> Reals.clampedGate(gate, a, b));
            case Op.Attention attention -> OracleAttention.attend(run, node, attention);
            case Op.KvAppend append -> OracleAttention.append(run, node, append.slot());
            case Op.ShortConv conv -> OracleRecurrence.convolve(run, node, conv);
            case Op.GatedDeltaRule rule -> OracleRecurrence.deltaRule(run, node, rule);
            case Op.MoeRoute route -> OracleExperts.route(run, node, route);
            case Op.MoeMatMul matMul -> OracleLinear.moeMatMul(run, node, matMul);
            case Op.MoeCombine combine -> OracleExperts.combine(run, node);
            case Op.TopKLogProb topK -> OracleExperts.topK(run, node, topK.k());
            case Op.ArgMax argMax -> OracleExperts.argMax(run, node);
        }
    }

    private static void input(OracleRun run, String name, Value value) {
        Rows rows = run.batch().inputs().get(name);
        int count = run.rows(value);
        if (rows == null || rows.count() < count || rows.type().columns() != value.columns()) {
            throw new IllegalArgumentException("input " + name + " is not " + count + " rows of " + value.type());
        }
        Table table = run.define(value);
        boolean f32 = value.type().type() == DType.F32;
        rows.copyTo(0, count, f32 ? MemorySegment.ofArray(table.floats()) : MemorySegment.ofArray(table.ints()));
    }

    private record OracleStep(Map<String, Rows> results, long elapsedNanos) implements Step {
        @Override
        public Rows output(String name) {
            Rows rows = results.get(name);
            if (rows == null) {
                throw new IllegalArgumentException("the batch asked for " + results.keySet() + ", not for " + name);
            }
            return rows;
        }
    }

    @Override
    public long scratchBytes() {
        return 0;
    }

    @Override
    public void close() {}
}
