package dev.tandem.testkit.wrap;

import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.Step;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An executable of a wrapped backend. */
public class WrappedExecutable implements Executable {
    private final Executable inner;

    /**
     * A wrapper without a change.
     *
     * @param inner does the work
     */
    public WrappedExecutable(Executable inner) {
        this.inner = inner;
    }

    @Override
    public Step run(Batch batch) {
        return inner.run(unwrap(batch));
    }

    /** The batch with the inner backend's states and rows. */
    private static Batch unwrap(Batch batch) {
        List<Batch.Slice> slices = batch.slices().stream()
                .map(slice -> new Batch.Slice(((WrappedState) slice.state()).inner(), slice.firstRow()))
                .toList();
        Map<String, Rows> inputs = new HashMap<>();
        batch.inputs().forEach((name, rows) -> inputs.put(name, rows instanceof WrappedRows w ? w.inner() : rows));
        return new Batch(batch.tokens(), batch.positions(), slices, batch.selected(), inputs, batch.outputs());
    }

    @Override
    public long scratchBytes() {
        return inner.scratchBytes();
    }

    @Override
    public void close() {
        inner.close();
    }
}
