package dev.tandem.gpu;

import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.graph.Value;

/** Takes rows that the caller supplies: rows of this device where they are, others by a copy. */
final class InputStage implements Stage {
    private final GpuBackend backend;
    private final String name;
    private final Value value;

    InputStage(GpuBackend backend, String name, Value value) {
        this.backend = backend;
        this.name = name;
        this.value = value;
    }

    @Override
    public void run(RunContext context) {
        Rows rows = context.batch().inputs().get(name);
        int count = context.rows(value);
        if (rows == null || rows.count() < count || rows.type().columns() != value.columns()) {
            throw new IllegalArgumentException("input " + name + " needs " + count + " rows of " + value.type()
                    + ", has " + (rows == null ? "none" : rows.count() + " of " + rows.type()));
        }
        if (rows instanceof GpuRows here && here.owner().equals(backend)) {
            context.scratch().place(value, here.address());
        } else {
            backend.upload(context.address(value), rows, count);
        }
    }
}
