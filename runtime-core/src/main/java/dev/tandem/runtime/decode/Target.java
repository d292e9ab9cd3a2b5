package dev.tandem.runtime.decode;

import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.placement.PlacedGraph;
import dev.tandem.runtime.state.Sequence;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.backend.StepKind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

/**
 * A model's forward graph, ready to run. Safe for use by several threads: the lane lets one call at a time through, as
 * backends ask.
 */
public final class Target implements AutoCloseable {
    private final PlacedGraph graph;
    private final int vocabulary;
    private final int contextRows;
    private final int maxStepRows;
    private final Lock lane;

    /**
     * A target.
     *
     * @param graph compiled for {@code maxStepRows}
     * @param vocabulary columns of the logits
     * @param contextRows most rows of a sequence
     * @param maxStepRows most rows of a step
     * @param lane held during each call to a backend; reentrant
     */
    public Target(PlacedGraph graph, int vocabulary, int contextRows, int maxStepRows, Lock lane) {
        this.graph = graph;
        this.vocabulary = vocabulary;
        this.contextRows = contextRows;
        this.maxStepRows = maxStepRows;
        this.lane = lane;
    }

    /**
     * Rows of one sequence in a step.
     *
     * @param sequence without open rows
     * @param kind what the rows are
     * @param tokens one per row
     * @param parents per row, an earlier row of this slice or -1
     * @param wanted rows of this slice whose logits are wanted, ascending
     */
    public record Slice(Sequence sequence, StepKind kind, int[] tokens, int[] parents, int[] wanted) {
        /** A chain after the committed rows. */
        public static Slice chain(Sequence sequence, int[] tokens, int[] wanted) {
            int[] parents = new int[tokens.length];
            for (int i = 0; i < tokens.length; i++) {
                parents[i] = i - 1;
            }
            return new Slice(
                    sequence, tokens.length == 1 ? StepKind.DECODE : StepKind.PREFILL, tokens, parents, wanted);
        }
    }

    /** Columns of the logits. */
    public int vocabulary() {
        return vocabulary;
    }

    /** Most rows of a sequence. */
    public int contextRows() {
        return contextRows;
    }

    /** Most rows of a step. */
    public int maxStepRows() {
        return maxStepRows;
    }

    /** Ids of the devices in use. */
    public String devices() {
        return graph.devices();
    }

    /**
     * Does something while no other thread calls this target's backends: outputs of a step stay valid until it returns.
     *
     * @param work may call this target
     */
    public <T> T exclusively(Supplier<T> work) {
        lane.lock();
        try {
            return work.get();
        } finally {
            lane.unlock();
        }
    }

    private void exclusively(Runnable work) {
        lane.lock();
        try {
            work.run();
        } finally {
            lane.unlock();
        }
    }

    /** A sequence without rows. */
    public Sequence newSequence() {
        return exclusively(() -> Sequence.create(graph.slots(), new StateOptions(contextRows, maxStepRows)));
    }

    /** Cuts a sequence; answers the length reached. */
    public int truncate(Sequence sequence, int rows) {
        return exclusively(() -> sequence.truncate(rows));
    }

    /** Keeps a path of a sequence's open rows. */
    public void commit(Sequence sequence, int[] path) {
        exclusively(() -> sequence.commit(path));
    }

    /** Drops a sequence's open rows. */
    public void rollback(Sequence sequence) {
        exclusively(sequence::rollback);
    }

    /** Frees a sequence. */
    public void close(Sequence sequence) {
        exclusively(sequence::close);
    }

    /**
     * Opens a step on every slice's sequence and runs it; commits nothing.
     *
     * @param slices rows, at most {@link #maxStepRows()} together
     * @param taps receive the hidden states of all rows
     * @param logits receives one row of {@link #vocabulary()} per wanted row, in order of slices
     * @throws DeviceException where the device failed or a wanted logit is not a number; no step is open then
     */
    public void step(List<Slice> slices, Taps taps, float[] logits) {
        exclusively(() -> {
            try {
                run(slices, taps, logits);
            } catch (RuntimeException | Error e) {
                rollbackAll(slices, e);
                throw e;
            }
        });
    }

    private static void rollbackAll(List<Slice> slices, Throwable failure) {
        for (Slice slice : slices) {
            try {
                slice.sequence().rollback();
            } catch (DeviceException e) {
                failure.addSuppressed(e); // the device is gone; its states with it
            }
        }
    }

    private void run(List<Slice> slices, Taps taps, float[] logits) {
        int rows = slices.stream().mapToInt(slice -> slice.tokens().length).sum();
        int[] tokens = new int[rows];
        int[] positions = new int[rows];
        List<Integer> wanted = new ArrayList<>();
        List<Sequence> sequences = new ArrayList<>();
        int first = 0;
        for (Slice slice : slices) {
            int start = slice.sequence().committedRows();
            for (int i = 0; i < slice.tokens().length; i++) {
                int parent = slice.parents()[i];
                tokens[first + i] = slice.tokens()[i];
                positions[first + i] = parent < 0 ? start : positions[first + parent] + 1;
            }
            for (int row : slice.wanted()) {
                wanted.add(first + row);
            }
            slice.sequence().begin(slice.kind(), slice.parents());
            sequences.add(slice.sequence());
            first += slice.tokens().length;
        }
        int[] selected = wanted.stream().mapToInt(Integer::intValue).toArray();
        Set<String> outputs = new HashSet<>(taps.names());
        if (selected.length > 0) {
            outputs.add(LanguageModel.LOGITS);
        }
        PlacedGraph.Result result =
                graph.run(new PlacedGraph.Request(sequences, tokens, positions, selected, Map.of(), outputs));
        if (selected.length > 0) {
            result.output(LanguageModel.LOGITS).copyTo(0, selected.length, MemorySegment.ofArray(logits));
            for (int row = 0; row < selected.length; row++) {
                refuseNaN(logits, row, positions[selected[row]]);
            }
        }
        taps.copy(result);
    }

    /**
     * Runs a chain of tokens after the committed ones and commits it.
     *
     * @param sequence receives the rows
     * @param tokens at most {@link #maxStepRows()}
     * @param wanted indices of tokens whose logits are wanted, ascending
     * @param taps receive the hidden states of all tokens
     * @param logits receives one row of {@link #vocabulary()} per wanted token
     * @throws DeviceException where the device failed or a wanted logit is not a number; the sequence is as before
     */
    public void run(Sequence sequence, int[] tokens, int[] wanted, Taps taps, float[] logits) {
        exclusively(() -> {
            step(List.of(Slice.chain(sequence, tokens, wanted)), taps, logits);
            int[] all = new int[tokens.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = i;
            }
            sequence.commit(all);
        });
    }

    private void refuseNaN(float[] logits, int row, int position) {
        for (int i = row * vocabulary; i < (row + 1) * vocabulary; i++) {
            if (Float.isNaN(logits[i])) {
                throw new DeviceException(
                        ErrorCode.NOT_A_NUMBER,
                        "the logit of token " + (i - row * vocabulary) + " after position " + position
                                + " is not a number, computed on " + graph.devices(),
                        false,
                        null);
            }
        }
    }

    @Override
    public void close() {
        exclusively(graph::close);
    }
}
