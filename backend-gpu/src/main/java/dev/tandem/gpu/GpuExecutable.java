package dev.tandem.gpu;

import dev.tandem.gpu.state.GpuState;
import dev.tandem.gpu.state.KvLayout;
import dev.tandem.gpu.weights.GpuWeights;
import dev.tandem.spi.backend.Backend.CompileOptions;
import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Queues a graph node by node. Nodes that no wanted output and no state needs are left out of a run. */
final class GpuExecutable implements Executable {
    /** More rows keep a device busy for longer than the host takes to launch. */
    private static final int MOST_RECORDED_ROWS = 64;

    private final Graph graph;
    private final CompileOptions options;
    private final GpuBackend backend;
    private final Scratch scratch;
    private final Workbench bench;
    private final StepData data;
    private final List<GpuWeights> weights;
    private final List<Stage> stages = new ArrayList<>();
    /** Per node whether the next one does its work. */
    private final List<Boolean> takenOver = new ArrayList<>();

    private final StepTable table;
    private final Recordings recordings;
    private final boolean recordable;
    private final Map<Set<String>, boolean[]> plans = new HashMap<>();
    private long runs;

    GpuExecutable(Graph graph, CompileOptions options, List<GpuWeights> weights, GpuBackend backend) {
        this.graph = graph;
        this.options = options;
        this.backend = backend;
        this.scratch = new Scratch(graph, backend.gpu());
        this.data = new StepData(backend.gpu());
        this.bench = new Workbench(backend.gpu());
        this.weights = weights;
        this.table = new StepTable();
        this.recordings = new Recordings(backend.gpu());
        // Rows of the caller are copied in the middle of a step, which cannot be recorded.
        this.recordable = graph.inputs().isEmpty();
        StageCompiler compiler = new StageCompiler(graph, weights, backend, bench, data, table);
        for (int i = 0; i < graph.nodes().size(); i++) {
            stages.add(compiler.compile(i));
            takenOver.add(compiler.takenOver(i));
        }
        data.add(table); // the last part, since its size changes most often
    }

    @Override
    public Step run(Batch batch) {
        if (batch.rows() > options.maxStepRows()) {
            throw new IllegalArgumentException(
                    batch.rows() + " rows exceed the " + options.maxStepRows() + " compiled for " + graph.name());
        }
        long start = System.nanoTime();
        backend.gpu().use();
        checkStates(batch);
        boolean[] needed = plans.computeIfAbsent(batch.outputs(), this::plan);
        scratch.reserve(batch.rows(), batch.selected().length);
        upload(batch);
        queue(new RunContext(batch, ++runs, scratch), needed);
        return results(batch, System.nanoTime() - start);
    }

    private void queue(RunContext context, boolean[] needed) {
        forEach(needed, stage -> stage.place(context));
        Runnable launches = () -> forEach(needed, stage -> stage.run(context));
        Batch batch = context.batch();
        if (batch.rows() <= MOST_RECORDED_ROWS && recordable && !batch.slices().isEmpty()) {
            recordings.run(batch.rows(), shape(batch), launches);
        } else {
            launches.run();
        }
    }

    private void forEach(boolean[] needed, Consumer<Stage> work) {
        for (int i = 0; i < needed.length; i++) {
            if (needed[i] && !(takenOver.get(i) && needed[i + 1])) {
                work.accept(stages.get(i));
            }
        }
    }

    /**
     * All that decides what a step launches with which arguments.
     *
     * @param selected number of selected rows
     * @param outputs that are computed
     * @param chunks of attention
     * @param layout of the states
     * @param values the layout of the values
     * @param addresses of everything else that may move
     */
    private record Shape(
            int selected, Set<String> outputs, int chunks, KvLayout layout, long values, List<Long> addresses) {}

    private Shape shape(Batch batch) {
        List<Long> addresses = new ArrayList<>(data.addresses());
        addresses.addAll(bench.addresses());
        GpuState state = (GpuState) batch.slices().getFirst().state();
        return new Shape(
                batch.selected().length,
                batch.outputs(),
                AttentionStage.chunks(batch),
                state.layout(),
                scratch.layout(),
                addresses);
    }

    private void upload(Batch batch) {
        try {
            data.upload(batch);
        } catch (InternalError e) {
            throw weights.getFirst().fileChanged(e);
        }
    }

    private void checkStates(Batch batch) {
        for (Batch.Slice slice : batch.slices()) {
            if (!(slice.state() instanceof GpuState state)
                    || !state.layout()
                            .equals(((GpuState) batch.slices().getFirst().state()).layout())) {
                throw new IllegalArgumentException(
                        graph.name() + ": the states of a step belong to one device and have the same slots");
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
        graph.outputs().forEach((name, value) -> {
            if (batch.outputs().contains(name)) {
                int rows = RunContext.rows(batch, value.type().rows());
                results.put(name, new GpuRows(backend, value.type(), rows, scratch.address(value)));
            }
        });
        return new QueuedStep(results, elapsedNanos);
    }

    /**
     * A step whose rows the device may still be computing.
     *
     * @param elapsedNanos time of queuing it
     */
    private record QueuedStep(Map<String, Rows> results, long elapsedNanos) implements Step {
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
        return scratch.bytes() + data.bytes() + bench.bytes();
    }

    @Override
    public void close() {
        recordings.close();
        scratch.close();
        bench.close();
        data.close();
    }
}
