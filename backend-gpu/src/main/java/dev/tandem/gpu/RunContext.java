package dev.tandem.gpu;

import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType.RowSet;

/**
 * What stages need to know of one run.
 *
 * @param batch rows and states
 * @param run number of the run, unique in the executable
 * @param scratch where values lie
 */
record RunContext(Batch batch, long run, Scratch scratch) {
    /** Rows of a value in this run. */
    int rows(Value value) {
        return rows(batch, value.type().rows());
    }

    /** Address of a value in this run. */
    long address(Value value) {
        return scratch.address(value);
    }

    static int rows(Batch batch, RowSet rows) {
        return rows == RowSet.STEP ? batch.rows() : batch.selected().length;
    }

    /** Index in the step of a row. */
    static int stepRow(Batch batch, RowSet rows, int row) {
        return rows == RowSet.STEP ? row : batch.selected()[row];
    }
}
