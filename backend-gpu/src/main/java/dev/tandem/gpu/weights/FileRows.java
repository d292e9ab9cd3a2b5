package dev.tandem.gpu.weights;

import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import dev.tandem.spi.numeric.Dequantizer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Rows of one weight as they lie in the model file. Safe for use by several threads. */
public final class FileRows {
    private final WeightRef weight;
    private final MemorySegment data;
    private final int rows;
    private final int rowBytes;

    FileRows(WeightRef weight, ModelView model) {
        TensorInfo tensor = model.tensor(weight.tensor())
                .orElseThrow(
                        () -> new IllegalArgumentException(model.id().file() + " has no tensor " + weight.tensor()));
        this.weight = weight;
        this.data = model.data(tensor);
        this.rows = Math.toIntExact(weight.rowCount());
        this.rowBytes = Math.toIntExact(weight.type().rowBytes(weight.columns()));
    }

    WeightRef weight() {
        return weight;
    }

    /** Number of rows. */
    public int rows() {
        return rows;
    }

    /** Elements of a row. */
    public int columns() {
        return weight.columns();
    }

    int rowBytes() {
        return rowBytes;
    }

    private long offset(int row) {
        long index = weight.slice().map(slice -> slice.rowOf(row)).orElse((long) row);
        return index * rowBytes;
    }

    /** Copies the blocks of a row as they are. */
    void copy(int row, byte[] out, int at) {
        MemorySegment.copy(data, ValueLayout.JAVA_BYTE, offset(row), out, at, rowBytes);
    }

    /**
     * Writes a row as f32.
     *
     * @param row of the weight
     * @param out receives {@link #columns()} values
     * @param at index of the first
     */
    public void dequantize(int row, float[] out, int at) {
        Dequantizer.dequantize(weight.type(), data, offset(row), columns(), out, at);
    }
}
