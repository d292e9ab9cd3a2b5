package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.DType;
import org.jspecify.annotations.Nullable;

/** Memory of one value during a run; values that do not live at the same time share one. Grows and never shrinks. */
final class Buffer {
    private final DType type;
    private final int columns;
    private float[] floats = {};
    private int[] ints = {};
    private @Nullable Activations activations;
    private long quantizedFor = -1;

    Buffer(DType type, int columns) {
        this.type = type;
        this.columns = columns;
    }

    int columns() {
        return columns;
    }

    float[] floats() {
        return floats;
    }

    int[] ints() {
        return ints;
    }

    void reserve(int rows) {
        int size = Math.multiplyExact(rows, columns);
        if (type == DType.F32 && floats.length < size) {
            floats = new float[size];
        } else if (type == DType.I32 && ints.length < size) {
            ints = new int[size];
        }
    }

    long bytes() {
        return 4L * floats.length + 4L * ints.length;
    }

    /** The rows as matrices read them, without an int8 form. */
    Activations plain() {
        Activations rows = activations;
        if (rows == null) {
            rows = new Activations(columns);
            activations = rows;
        }
        rows.of(floats);
        return rows;
    }

    /** The rows with their int8 form, which is computed at the first request per value and run. */
    Activations quantized(StepContext context, Value value, int rows) {
        Activations x = plain();
        long wanted = context.run() << 32 | value.id();
        if (quantizedFor != wanted) {
            x.reserve(rows);
            context.rows(rows, columns, (from, to, scratch) -> {
                for (int row = from; row < to; row++) {
                    context.kernels().quantize(x, row);
                }
            });
            quantizedFor = wanted;
        }
        return x;
    }
}
