package dev.tandem.testkit.wrap;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.graph.ValueType;
import java.lang.foreign.MemorySegment;

/** Rows as those of a device: reading them is a copy, which may fail. */
public class WrappedRows implements Rows.OnDevice {
    private final Rows inner;
    private final Backend owner;

    /**
     * A wrapper without a change.
     *
     * @param inner holds the elements
     * @param owner the wrapping backend
     */
    public WrappedRows(Rows inner, Backend owner) {
        this.inner = inner;
        this.owner = owner;
    }

    final Rows inner() {
        return inner;
    }

    @Override
    public Backend owner() {
        return owner;
    }

    @Override
    public ValueType type() {
        return inner.type();
    }

    @Override
    public int count() {
        return inner.count();
    }

    @Override
    public void copyTo(int first, int rows, MemorySegment target) {
        inner.copyTo(first, rows, target);
    }
}
