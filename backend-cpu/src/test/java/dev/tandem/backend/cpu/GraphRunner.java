package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.Backend.CompileOptions;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.ModelView;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Runs a graph on a CPU backend for tests: inputs and outputs as plain arrays. */
final class GraphRunner implements AutoCloseable {
    static final int MAX_STEP_ROWS = 128;

    private final CpuBackend backend;
    private final Graph graph;
    private final WeightSet weights;
    private final Executable executable;

    GraphRunner(Graph graph, ModelView model, Precision precision) {
        this(graph, model, precision, new ScalarKernels(), 1);
    }

    GraphRunner(Graph graph, ModelView model, Precision precision, Kernels kernels, int threads) {
        DeviceInfo device = new DeviceInfo("cpu", "test", DeviceInfo.Kind.CPU, -1, -1, kernels.name());
        this.backend = new CpuBackend(device, kernels, threads);
        this.graph = graph;
        this.weights = backend.load(new WeightRequest(model, List.of(graph), precision, bytes -> {}));
        this.executable = backend.compile(graph, new CompileOptions(precision, true, MAX_STEP_ROWS), List.of(weights));
    }

    SequenceState newState() {
        return backend.newState(graph.states(), new StateOptions(4096, MAX_STEP_ROWS));
    }

    /** One sequence's rows in a step. */
    record Part(SequenceState state, StepKind kind, int[] parents) {
        static Part chain(SequenceState state, int rows) {
            int[] parents = IntStream.range(-1, rows - 1).toArray();
            return new Part(state, rows == 1 ? StepKind.DECODE : StepKind.PREFILL, parents);
        }
    }

    /** Opens a step on every state and runs the graph; all rows are selected; commits nothing. */
    Named run(List<Part> parts, Named inputs) {
        int rows = parts.stream().mapToInt(part -> part.parents().length).sum();
        return run(parts, inputs, IntStream.range(0, rows).toArray());
    }

    Named run(List<Part> parts, Named inputs, int[] selected) {
        List<Batch.Slice> slices = new ArrayList<>();
        List<Integer> positions = new ArrayList<>();
        for (Part part : parts) {
            part.state().begin(part.kind(), part.parents());
            slices.add(new Batch.Slice(part.state(), positions.size()));
            int first = positions.size();
            for (int parent : part.parents()) {
                positions.add(parent < 0 ? part.state().committedRows() : positions.get(first + parent) + 1);
            }
        }
        int rows = positions.size();
        Map<String, Rows> rowsIn = new HashMap<>();
        graph.inputs().forEach((name, value) -> rowsIn.put(name, rows(value, inputs.get(name), rows)));
        Set<String> outputs = graph.outputs().keySet();
        Step step = executable.run(new Batch(
                new int[0],
                positions.stream().mapToInt(Integer::intValue).toArray(),
                slices,
                selected,
                rowsIn,
                outputs));
        Map<String, float[]> results = new HashMap<>();
        outputs.forEach(name -> results.put(name, floats(step.output(name))));
        return new Named(results);
    }

    /** As above for stateless graphs and one result. */
    float[] run(int rows, Named inputs) {
        try (SequenceState state = newState()) {
            return run(List.of(Part.chain(state, rows)), inputs).get("y");
        }
    }

    private static Rows rows(Value value, float[] data, int rows) {
        return new Rows.Host(
                new ValueType(value.type().type(), value.type().rows(), value.columns()),
                rows,
                MemorySegment.ofArray(data));
    }

    private static float[] floats(Rows rows) {
        int size = rows.count() * rows.type().columns();
        float[] result = new float[size];
        if (rows.type().type() == DType.F32) {
            rows.copyTo(0, rows.count(), MemorySegment.ofArray(result));
        } else {
            int[] ints = new int[size];
            rows.copyTo(0, rows.count(), MemorySegment.ofArray(ints));
            for (int i = 0; i < size; i++) {
                result[i] = ints[i];
            }
        }
        return result;
    }

    @Override
    public void close() {
        executable.close();
        weights.close();
        backend.close();
    }
}
