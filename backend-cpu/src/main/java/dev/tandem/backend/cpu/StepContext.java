package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.kernel.WorkerPool;
import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType.RowSet;

/** What stages need to know of one run. */
final class StepContext {
    /** Elements below which a range is not worth a task. */
    private static final int SMALLEST_RANGE = 8_192;

    private final Batch batch;
    private final long run;
    private final Kernels kernels;
    private final WorkerPool pool;

    StepContext(Batch batch, long run, Kernels kernels, WorkerPool pool) {
        this.batch = batch;
        this.run = run;
        this.kernels = kernels;
        this.pool = pool;
    }

    Batch batch() {
        return batch;
    }

    /** Number of the run, unique in the executable. */
    long run() {
        return run;
    }

    Kernels kernels() {
        return kernels;
    }

    WorkerPool pool() {
        return pool;
    }

    /** Rows of a value in this run. */
    int rows(Value value) {
        return value.type().rows() == RowSet.STEP ? batch.rows() : batch.selected().length;
    }

    /** Index in the step of a value's row. */
    int stepRow(Value value, int row) {
        return value.type().rows() == RowSet.STEP ? row : batch.selected()[row];
    }

    /** Runs a task over ranges of rows; a few elements are not divided. */
    void rows(int rows, int columns, WorkerPool.RangeTask task) {
        pool.ranges(rows, 1, Math.max(1, SMALLEST_RANGE / columns), task);
    }
}
