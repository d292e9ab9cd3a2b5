package dev.tandem.testkit.contract;

import dev.tandem.spi.backend.Backend;
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
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.model.ModelView;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** One graph, loaded and compiled on a backend, and run with plain arrays. */
final class Harness implements AutoCloseable {
    static final int MAX_STEP_ROWS = 130;
    static final int MAX_ROWS = 600;

    private final Backend backend;
    private final Graph graph;
    private final List<WeightSet> weights = new ArrayList<>();
    private final Executable executable;

    Harness(Backend backend, Graph graph, Precision precision, ModelView... models) {
        this.backend = backend;
        this.graph = graph;
        try {
            for (ModelView model : models) {
                weights.add(backend.load(new WeightRequest(model, List.of(graph), precision, bytes -> {})));
            }
            executable = backend.compile(graph, new CompileOptions(precision, true, MAX_STEP_ROWS), weights);
        } catch (RuntimeException e) {
            weights.forEach(WeightSet::close);
            throw e;
        }
    }

    Graph graph() {
        return graph;
    }

    SequenceState newState() {
        return backend.newState(graph.states(), new StateOptions(MAX_ROWS, MAX_STEP_ROWS));
    }

    /**
     * One sequence's rows in a step.
     *
     * @param state of the sequence
     * @param kind of the rows
     * @param parents of the rows
     */
    record Part(SequenceState state, StepKind kind, int[] parents) {
        static Part chain(SequenceState state, int rows) {
            return new Part(state, rows == 1 ? StepKind.DECODE : StepKind.PREFILL, parents(rows));
        }

        static int[] parents(int rows) {
            return IntStream.range(-1, rows - 1).toArray();
        }
    }

    /** Opens a step on every state. */
    static void open(List<Part> parts) {
        parts.forEach(part -> part.state().begin(part.kind(), part.parents()));
    }

    /** Opens a step, runs it with all rows selected, and answers all outputs. */
    Outputs step(List<Part> parts, Feed feed) {
        open(parts);
        return run(parts, feed, all(feed.rows()));
    }

    /** Runs the open rows and answers all outputs. */
    Outputs run(List<Part> parts, Feed feed, int... selected) {
        Set<String> names = graph.outputs().keySet();
        return Outputs.of(executable.run(batch(parts, feed, selected, names)), names);
    }

    /** Runs the open rows and asks for some outputs. */
    Step ask(List<Part> parts, Feed feed, Set<String> names) {
        return executable.run(batch(parts, feed, all(feed.rows()), names));
    }

    /** Feeds rows in one step and keeps them. */
    Outputs feed(SequenceState state, Feed feed) {
        Outputs outputs = step(List.of(Part.chain(state, feed.rows())), feed);
        state.commit(all(feed.rows()));
        return outputs;
    }

    /** Feeds rows one by one, keeps them, and answers the outputs of the last. */
    void feedOneByOne(SequenceState state, Feed feed) {
        for (int row = 0; row < feed.rows(); row++) {
            feed(state, feed.pick(row));
        }
    }

    static int[] all(int rows) {
        return IntStream.range(0, rows).toArray();
    }

    private Batch batch(List<Part> parts, Feed feed, int[] selected, Set<String> outputs) {
        List<Batch.Slice> slices = new ArrayList<>();
        int[] positions = new int[feed.rows()];
        int first = 0;
        for (Part part : parts) {
            slices.add(new Batch.Slice(part.state(), first));
            for (int row = 0; row < part.parents().length; row++) {
                int parent = part.parents()[row];
                positions[first + row] = parent < 0 ? part.state().committedRows() : positions[first + parent] + 1;
            }
            first += part.parents().length;
        }
        Map<String, Rows> inputs = new HashMap<>();
        graph.inputs().forEach((name, value) -> {
            float[] rows = feed.inputs().get(name);
            if (rows != null) {
                inputs.put(name, new Rows.Host(value.type(), feed.rows(), MemorySegment.ofArray(rows)));
            }
        });
        boolean embeds = graph.nodes().stream().anyMatch(node -> node.op() instanceof Op.Embed);
        int[] tokens = embeds ? feed.tokens() : new int[0];
        return new Batch(tokens, positions, slices, selected, inputs, outputs);
    }

    static byte[] export(SequenceState state) {
        byte[] bytes = new byte[Math.toIntExact(state.exportBytes())];
        state.exportTo(MemorySegment.ofArray(bytes));
        return bytes;
    }

    @Override
    public void close() {
        executable.close();
        weights.forEach(WeightSet::close);
    }
}
