package dev.tandem.gpu;

import dev.tandem.gpu.weights.FileRows;
import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.numeric.PositionScale;
import dev.tandem.spi.numeric.RopeTable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A row of floats for each row of a step, computed on the host. */
final class StepRows extends StepSection {
    private final RowSet rows;
    private final int columns;
    private final Filler filler;

    /** Computes one row. */
    @FunctionalInterface
    private interface Filler {
        /** Writes the row of a step row to an array of the right size. */
        void fill(Batch batch, int stepRow, float[] out);
    }

    private StepRows(RowSet rows, int columns, Filler filler) {
        this.rows = rows;
        this.columns = columns;
        this.filler = filler;
    }

    /** Rows of an embedding table. */
    static StepRows embedding(FileRows table) {
        return new StepRows(RowSet.STEP, table.columns(), (batch, row, out) -> {
            int token = batch.tokens()[row];
            if (token < 0 || token >= table.rows()) {
                throw new IllegalArgumentException("token " + token + " is outside the vocabulary of " + table.rows());
            }
            table.dequantize(token, out, 0);
        });
    }

    /** Cosines, then sines, of the rows' positions. */
    static StepRows rope(RopeTable table) {
        int columns = 2 * table.pairs();
        return new StepRows(RowSet.STEP, columns, (batch, row, out) -> {
            int position = batch.positions()[row];
            System.arraycopy(table.page(position), table.rowOffset(position), out, 0, columns);
        });
    }

    /** The factor of each row's position. */
    static StepRows factors(Op.ScaleByPosition scale, RowSet rows) {
        return new StepRows(rows, 1, (batch, row, out) -> out[0] = PositionScale.factor(scale, batch.positions()[row]));
    }

    @Override
    long bytes(Batch batch) {
        return 4L * columns * RunContext.rows(batch, rows);
    }

    @Override
    void fill(Batch batch, MemorySegment target) {
        float[] row = new float[columns];
        int count = RunContext.rows(batch, rows);
        for (int i = 0; i < count; i++) {
            filler.fill(batch, RunContext.stepRow(batch, rows, i), row);
            MemorySegment.copy(row, 0, target, ValueLayout.JAVA_FLOAT, 4L * columns * i, columns);
        }
    }
}
