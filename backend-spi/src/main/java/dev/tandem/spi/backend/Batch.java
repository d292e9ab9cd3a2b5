package dev.tandem.spi.backend;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One step: open rows of several sequences. The bits of a row do not depend on the others.
 *
 * @param tokens ids, one per row; empty when the graph has no embedding
 * @param positions one per row, for rope
 * @param slices each sequence's rows, contiguous and in order, covering all rows
 * @param selected rows (indices into the step, ascending) whose results are read
 * @param inputs rows by the name of the graph's inputs
 * @param outputs names wanted; others need not be computed
 */
public record Batch(
        int[] tokens,
        int[] positions,
        List<Slice> slices,
        int[] selected,
        Map<String, Rows> inputs,
        Set<String> outputs) {
    /** Copies the collections and checks that slices cover the rows. The arrays are the caller's and must not change. */
    public Batch {
        slices = List.copyOf(slices);
        inputs = Map.copyOf(inputs);
        outputs = Set.copyOf(outputs);
        int next = 0;
        for (Slice slice : slices) {
            if (slice.firstRow != next) {
                throw new IllegalArgumentException("slice starts at row " + slice.firstRow + " instead of " + next);
            }
            next += slice.state.openRows();
        }
        if (next != positions.length || (tokens.length != 0 && tokens.length != next)) {
            throw new IllegalArgumentException("slices hold " + next + " rows, but there are " + tokens.length
                    + " tokens and " + positions.length + " positions");
        }
        int previous = -1;
        for (int row : selected) {
            if (row <= previous || row >= next) {
                throw new IllegalArgumentException("selected row " + row + " of " + next + " after " + previous);
            }
            previous = row;
        }
    }

    /**
     * The rows of one sequence, whose number and parents its open step holds.
     *
     * @param state with open rows
     * @param firstRow index of the first in the step
     */
    public record Slice(SequenceState state, int firstRow) {}

    /**
     * Rows of the step.
     *
     * @return the number of positions
     */
    public int rows() {
        return positions.length;
    }
}
