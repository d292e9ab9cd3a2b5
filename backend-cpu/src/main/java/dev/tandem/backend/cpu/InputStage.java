package dev.tandem.backend.cpu;

import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.DType;
import java.lang.foreign.MemorySegment;

/** Copies rows that the caller supplies. */
final class InputStage implements Stage {
    private final String name;
    private final Value value;
    private final Buffer buffer;

    InputStage(String name, Value value, Buffer buffer) {
        this.name = name;
        this.value = value;
        this.buffer = buffer;
    }

    @Override
    public void run(StepContext context) {
        Rows rows = context.batch().inputs().get(name);
        int count = context.rows(value);
        if (rows == null || rows.count() < count || rows.type().columns() != value.columns()) {
            throw new IllegalArgumentException("input " + name + " needs " + count + " rows of " + value.type()
                    + ", has " + (rows == null ? "none" : rows.count() + " of " + rows.type()));
        }
        MemorySegment target = value.type().type() == DType.F32
                ? MemorySegment.ofArray(buffer.floats())
                : MemorySegment.ofArray(buffer.ints());
        rows.copyTo(0, count, target);
    }
}
