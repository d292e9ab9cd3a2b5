package dev.tandem.backend.cpu;

import dev.tandem.spi.backend.Backend.CompileOptions;
import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Interprets a graph, node by node. Nodes that no wanted output and no state needs are left out of a run. */
final class CpuExecutable implements Executable {
    private final Graph graph;
    private final CompileOptions options;
    private final CpuBackend backend;
    private final List<CpuWeights> weights;
    private final Buffers buffers;
    private final List<Stage> stages = new ArrayList<>();
    private final Map<Set<String>, boolean[]> plans = new HashMap<>();
    private long runs;

    CpuExecutable(Graph graph, CompileOptions options, List<CpuWeights> weights, CpuBackend backend) {
        this.graph = graph;
        this.options = options;
        this.backend = backend;
        this.weights = weights;
        this.buffers = new Buffers(graph);
        StageCompiler compiler = new StageCompiler(buffers, weights, backend);
        for (Node node : graph.nodes()) {
            stages.add(compiler.compile(node));
        }
    }

    @Override
    public Step run(Batch batch) {
        if (batch.rows() > options.maxStepRows()) {
            throw new IllegalArgumentException(
                    batch.rows() + " rows exceed the " + options.maxStepRows() + " compiled for " + graph.name());
        }
        long start = System.nanoTime();
        try {
            execute(new StepContext(batch, ++runs, backend.kernels(), backend.pool()));
        } catch (OutOfMemoryError e) {
            throw CpuBackend.outOfMemory("a step of " + batch.rows() + " rows of " + graph.name(), e);
        } catch (InternalError e) {
            throw CpuWeights.fileChanged(weights.getFirst().model(), e);
        }
        backend.kernels().stepDone();
        return results(batch, System.nanoTime() - start);
    }

    private void execute(StepContext context) {
        boolean[] needed = plans.computeIfAbsent(context.batch().outputs(), this::plan);
        List<Node> nodes = graph.nodes();
        for (int i = 0; i < needed.length; i++) {
            if (needed[i]) {
                for (Value output : nodes.get(i).outputs()) {
                    buffers.of(output).reserve(context.rows(output));
                }
                stages.get(i).run(context);
            }
        }
    }

    private boolean[] plan(Set<String> outputs) {
        List<Node> nodes = graph.nodes();
        boolean[] needed = new boolean[nodes.size()];
        Set<Value> read = new HashSet<>();
        for (int i = nodes.size() - 1; i >= 0; i--) {
            Node node = nodes.get(i);
            needed[i] = switch (node.op()) {
                case Op.Output output -> outputs.contains(output.name());
                case Op.Attention attention -> true;
                case Op.KvAppend append -> true;
                case Op.ShortConv conv -> true;
                case Op.GatedDeltaRule rule -> true;
                default -> node.outputs().stream().anyMatch(read::contains);
            };
            if (needed[i]) {
                read.addAll(node.inputs());
            }
        }
        return needed;
    }

    private Step results(Batch batch, long elapsedNanos) {
        Map<String, Rows> results = new HashMap<>();
        for (Map.Entry<String, Value> output : graph.outputs().entrySet()) {
            if (batch.outputs().contains(output.getKey())) {
                Value value = output.getValue();
                Buffer buffer = buffers.of(value);
                int rows = new StepContext(batch, runs, backend.kernels(), backend.pool()).rows(value);
                MemorySegment data = value.type().type() == DType.F32
                        ? MemorySegment.ofArray(buffer.floats())
                        : MemorySegment.ofArray(buffer.ints());
                results.put(
                        output.getKey(),
                        new Rows.Host(value.type(), rows, data.asSlice(0, 4L * rows * value.columns())));
            }
        }
        return new HostStep(results, elapsedNanos);
    }

    private record HostStep(Map<String, Rows> results, long elapsedNanos) implements Step {
        @Override
        public Rows output(String name) {
            Rows rows = results.get(name);
            if (rows == null) {
                throw new IllegalArgumentException(
                        "output " + name + " was not asked for; there are " + results.keySet());
            }
            return rows;
        }
    }

    @Override
    public long scratchBytes() {
        return buffers.bytes();
    }

    @Override
    public void close() {
        plans.clear();
    }
}
