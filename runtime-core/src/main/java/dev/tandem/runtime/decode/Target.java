package dev.tandem.runtime.decode;

import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.placement.PlacedGraph;
import dev.tandem.runtime.state.Sequence;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.StepKind;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Lock;

/**
 * A model's forward graph, ready to run. Safe for use by several threads: the lane lets one step at a time through, as
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
     * @param lane held during each call to a backend
     */
    public Target(PlacedGraph graph, int vocabulary, int contextRows, int maxStepRows, Lock lane) {
        this.graph = graph;
        this.vocabulary = vocabulary;
        this.contextRows = contextRows;
        this.maxStepRows = maxStepRows;
        this.lane = lane;
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

    /** A sequence without rows. */
    public Sequence newSequence() {
        lane.lock();
        try {
            return Sequence.create(graph.slots(), new StateOptions(contextRows, maxStepRows));
        } finally {
            lane.unlock();
        }
    }

    /** Cuts a sequence; answers the length reached. */
    public int truncate(Sequence sequence, int rows) {
        lane.lock();
        try {
            return sequence.truncate(rows);
        } finally {
            lane.unlock();
        }
    }

    /** Frees a sequence. */
    public void close(Sequence sequence) {
        lane.lock();
        try {
            sequence.close();
        } finally {
            lane.unlock();
        }
    }

    /**
     * Runs a chain of tokens after the committed ones and commits it.
     *
     * @param sequence receives the rows
     * @param tokens at most {@link #maxStepRows()}
     * @param wanted indices of tokens whose logits are wanted, ascending
     * @param logits receives one row of {@link #vocabulary()} per wanted token
     * @throws DeviceException where the device failed or a wanted logit is not a number; the sequence is as before
     */
    public void run(Sequence sequence, int[] tokens, int[] wanted, float[] logits) {
        lane.lock();
        try {
            int start = sequence.committedRows();
            int[] chain = new int[tokens.length];
            int[] positions = new int[tokens.length];
            for (int i = 0; i < tokens.length; i++) {
                chain[i] = i - 1;
                positions[i] = start + i;
            }
            sequence.begin(tokens.length == 1 ? StepKind.DECODE : StepKind.PREFILL, chain);
            try {
                step(sequence, tokens, positions, wanted, logits);
                for (int i = 0; i < chain.length; i++) {
                    chain[i] = i;
                }
                sequence.commit(chain);
            } finally {
                sequence.rollback(); // does nothing after the commit
            }
        } finally {
            lane.unlock();
        }
    }

    private void step(Sequence sequence, int[] tokens, int[] positions, int[] wanted, float[] logits) {
        Set<String> outputs = wanted.length == 0 ? Set.of() : Set.of(LanguageModel.LOGITS);
        PlacedGraph.Result result = graph.run(
                new PlacedGraph.Request(List.of(sequence), tokens, positions, wanted, Map.of(), outputs));
        if (wanted.length > 0) {
            Rows rows = result.rows().get(LanguageModel.LOGITS);
            rows.copyTo(0, wanted.length, MemorySegment.ofArray(logits));
            for (int row = 0; row < wanted.length; row++) {
                refuseNaN(logits, row, positions[wanted[row]]);
            }
        }
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
        lane.lock();
        try {
            graph.close();
        } finally {
            lane.unlock();
        }
    }
}
