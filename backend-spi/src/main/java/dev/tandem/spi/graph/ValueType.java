package dev.tandem.spi.graph;

import dev.tandem.spi.model.DType;
import java.util.Locale;

/**
 * Type of a value: rows by columns.
 *
 * @param type {@link DType#F32} or {@link DType#I32}
 * @param rows which rows of the step it has
 * @param columns fixed number of elements per row, at least 1
 */
public record ValueType(DType type, RowSet rows, int columns) {
    /** Checks the element type and the number of columns. */
    public ValueType {
        if (type != DType.F32 && type != DType.I32) {
            throw new IllegalArgumentException("a value is f32 or i32, not " + type);
        }
        if (columns < 1) {
            throw new IllegalArgumentException("a value of " + columns + " columns");
        }
    }

    /** Which rows of a step a value has. */
    public enum RowSet {
        /** Every row of the step. */
        STEP,
        /** The rows that the batch selects, in the batch's order. */
        SELECTED
    }

    /**
     * An f32 value.
     *
     * @param rows its rows
     * @param columns its columns
     * @return the type
     */
    public static ValueType f32(RowSet rows, int columns) {
        return new ValueType(DType.F32, rows, columns);
    }

    /**
     * An i32 value.
     *
     * @param rows its rows
     * @param columns its columns
     * @return the type
     */
    public static ValueType i32(RowSet rows, int columns) {
        return new ValueType(DType.I32, rows, columns);
    }

    @Override
    public String toString() {
        return type.name().toLowerCase(Locale.ROOT) + "[" + rows.name().toLowerCase(Locale.ROOT) + ", " + columns + "]";
    }
}
