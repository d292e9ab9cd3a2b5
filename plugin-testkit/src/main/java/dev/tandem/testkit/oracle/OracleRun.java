package dev.tandem.testkit.oracle;

import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What ops need to know of one run: rows, states, weights, and the values computed so far. */
final class OracleRun {
    private final Batch batch;
    private final Precision precision;
    private final List<OracleWeights> weights;
    private final Map<Value, Table> values = new HashMap<>();

    OracleRun(Batch batch, Precision precision, List<OracleWeights> weights) {
        this.batch = batch;
        this.precision = precision;
        this.weights = weights;
    }

    Batch batch() {
        return batch;
    }

    Precision precision() {
        return precision;
    }

    Table value(Value value) {
        Table table = values.get(value);
        if (table == null) {
            throw new IllegalStateException(value + " was not computed");
        }
        return table;
    }

    /** Zeros for a value. */
    Table define(Value value) {
        boolean f32 = value.type().type() == DType.F32;
        Table table = f32 ? Table.floats(rows(value), value.columns()) : Table.ints(rows(value), value.columns());
        values.put(value, table);
        return table;
    }

    int rows(Value value) {
        return value.type().rows() == RowSet.STEP ? batch.rows() : batch.selected().length;
    }

    /** Index in the step of a value's row. */
    int stepRow(Value value, int row) {
        return value.type().rows() == RowSet.STEP ? row : batch.selected()[row];
    }

    Table weight(WeightRef weight) {
        for (OracleWeights set : weights) {
            if (set.model().equals(weight.model())) {
                return set.table(weight);
            }
        }
        throw new IllegalArgumentException(
                "no weights of model " + weight.model().file() + " for " + weight.tensor());
    }

    @Nullable
    Table weight(Optional<WeightRef> weight) {
        return weight.isPresent() ? weight(weight.get()) : null;
    }

    /** A sequence's rows in the step. */
    record Part(OracleState state, int firstRow) {
        int rows() {
            return state.step().rows();
        }
    }

    List<Part> parts() {
        return batch.slices().stream()
                .map(slice -> new Part((OracleState) slice.state(), slice.firstRow()))
                .toList();
    }

    /** The sequence of a row of the step. */
    Part part(int stepRow) {
        for (Part part : parts()) {
            if (stepRow < part.firstRow() + part.rows()) {
                return part;
            }
        }
        throw new IllegalArgumentException("row " + stepRow + " belongs to no sequence");
    }
}
