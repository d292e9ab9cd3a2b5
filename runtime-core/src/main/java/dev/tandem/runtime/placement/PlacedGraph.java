package dev.tandem.runtime.placement;

import dev.tandem.runtime.placement.Placement.Part;
import dev.tandem.runtime.state.Sequence;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.CompileOptions;
import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.StateSpec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** A placed graph, compiled: its parts run in order, and values that cross go from one part's outputs to another's inputs. */
public final class PlacedGraph implements AutoCloseable {
    private static final String CROSSING = "cross.";

    private final List<Part> parts;
    private final List<Executable> executables = new ArrayList<>();

    /**
     * Compiles every part.
     *
     * @param placement the parts
     * @param options bounds
     * @param weights per backend, covering the parts' graphs
     */
    public PlacedGraph(Placement placement, CompileOptions options, Map<Backend, List<WeightSet>> weights) {
        this.parts = placement.parts();
        try {
            for (Part part : parts) {
                executables.add(
                        part.backend().compile(part.graph(), options, weights.getOrDefault(part.backend(), List.of())));
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** State slots that each backend keeps for a sequence; a backend without slots has an empty list. */
    public Map<Backend, List<StateSpec>> slots() {
        Map<Backend, List<StateSpec>> slots = new LinkedHashMap<>();
        for (Part part : parts) {
            List<StateSpec> known = slots.computeIfAbsent(part.backend(), b -> new ArrayList<>());
            part.graph().states().stream().filter(s -> !known.contains(s)).forEach(known::add);
        }
        return slots;
    }

    /**
     * One step.
     *
     * @param sequences whose rows they are, in order
     * @param tokens one per row; empty where the graph has no embedding
     * @param positions one per row
     * @param selected rows whose results are read
     * @param inputs rows by name
     * @param outputs names wanted
     */
    public record Request(
            List<Sequence> sequences,
            int[] tokens,
            int[] positions,
            int[] selected,
            Map<String, Rows> inputs,
            Set<String> outputs) {}

    /**
     * Results of a step.
     *
     * @param rows wanted outputs by name, valid until the next run
     * @param elapsedNanos time of all parts
     */
    public record Result(Map<String, Rows> rows, long elapsedNanos) {
        /** An output that was asked for. */
        public Rows output(String name) {
            Rows output = rows.get(name);
            if (output == null) {
                throw new IllegalArgumentException("output " + name + " was not asked for; there are " + rows.keySet());
            }
            return output;
        }

        /** A copy of rows on the host, which outlives the next run. */
        public static Rows onHost(Rows rows) {
            float[] copy =
                    new float[Math.multiplyExact(rows.count(), rows.type().columns())];
            rows.copyTo(0, rows.count(), MemorySegment.ofArray(copy));
            return new Rows.Host(rows.type(), rows.count(), MemorySegment.ofArray(copy));
        }
    }

    /**
     * Runs all parts over the open rows of the sequences; commits nothing.
     *
     * @param request rows and wanted outputs
     */
    public Result run(Request request) {
        Map<String, Rows> values = new HashMap<>(request.inputs());
        Map<String, Rows> results = new HashMap<>();
        long elapsedNanos = 0;
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            Set<String> wanted = new HashSet<>(part.graph().outputs().keySet());
            wanted.removeIf(
                    name -> !name.startsWith(CROSSING) && !request.outputs().contains(name));
            Step step = executables.get(i).run(batch(part, request, values, wanted));
            for (String name : wanted) {
                (name.startsWith(CROSSING) ? values : results).put(name, step.output(name));
            }
            elapsedNanos += step.elapsedNanos();
        }
        return new Result(results, elapsedNanos);
    }

    private static Batch batch(Part part, Request request, Map<String, Rows> values, Set<String> wanted) {
        List<Batch.Slice> slices = new ArrayList<>();
        int row = 0;
        for (Sequence sequence : request.sequences()) {
            slices.add(new Batch.Slice(sequence.on(part.backend()), row));
            row += sequence.openRows();
        }
        Map<String, Rows> inputs = new HashMap<>();
        for (String name : part.graph().inputs().keySet()) {
            Rows rows = values.get(name);
            if (rows == null) {
                throw new IllegalArgumentException(part.graph().name() + ": input " + name + " was not given");
            }
            inputs.put(name, rows);
        }
        boolean embeds = part.graph().nodes().stream().anyMatch(node -> node.op() instanceof Op.Embed);
        int[] tokens = embeds ? request.tokens() : new int[0];
        return new Batch(tokens, request.positions(), slices, request.selected(), inputs, wanted);
    }

    /** Ids of the devices in use, for messages. */
    public String devices() {
        return parts.stream()
                .map(part -> part.backend().device().id())
                .distinct()
                .collect(Collectors.joining(", "));
    }

    /** Memory for intermediate values on all backends. */
    public long scratchBytes() {
        return executables.stream().mapToLong(Executable::scratchBytes).sum();
    }

    @Override
    public void close() {
        executables.forEach(Executable::close);
    }
}
