package dev.tandem.backend.cpu.kernel;

import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.numeric.Dequantizer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** Rows of one weight as they lie in the mapped file, with a row slice applied. */
public final class WeightData {
    private final DType type;
    private final MemorySegment data;
    private final int columns;
    private final long rowBytes;
    private final int firstRow;
    private final int rows;
    private final WeightRef.@Nullable RowSlice slice;

    private WeightData(
            DType type, MemorySegment data, int columns, int firstRow, int rows, WeightRef.@Nullable RowSlice slice) {
        this.type = type;
        this.data = data;
        this.columns = columns;
        this.rowBytes = type.rowBytes(columns);
        this.firstRow = firstRow;
        this.rows = rows;
        this.slice = slice;
    }

    /** All rows that a reference means; {@code data} is the whole tensor. */
    public static WeightData of(WeightRef weight, MemorySegment data) {
        return new WeightData(
                weight.type(),
                data,
                weight.columns(),
                0,
                Math.toIntExact(weight.rowCount()),
                weight.slice().orElse(null));
    }

    /** Some consecutive rows of these: one expert of many. */
    public WeightData rows(int first, int count) {
        return new WeightData(type, data, columns, firstRow + first, count, slice);
    }

    public DType type() {
        return type;
    }

    public int rows() {
        return rows;
    }

    public int columns() {
        return columns;
    }

    /** The segment that holds the rows. */
    public MemorySegment data() {
        return data;
    }

    /** Offset of a row's first byte in {@link #data()}. */
    public long offset(int row) {
        long index = (long) firstRow + row;
        return (slice == null ? index : slice.rowOf(index)) * rowBytes;
    }

    /** Bytes of a row. */
    public int rowBytes() {
        return Math.toIntExact(rowBytes);
    }

    /** Copies a row's blocks as they are. */
    public void copy(int row, byte[] out, int at) {
        MemorySegment.copy(data, ValueLayout.JAVA_BYTE, offset(row), out, at, rowBytes());
    }

    /** Writes a row as f32. */
    public void dequantize(int row, float[] out, int at) {
        Dequantizer.dequantize(type, data, offset(row), columns, out, at);
    }
}
