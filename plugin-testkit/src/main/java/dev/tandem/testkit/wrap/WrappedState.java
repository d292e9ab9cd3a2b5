package dev.tandem.testkit.wrap;

import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.StepKind;
import java.lang.foreign.MemorySegment;

/** A state of a wrapped backend. */
public class WrappedState implements SequenceState {
    private final SequenceState inner;

    /**
     * A wrapper without a change.
     *
     * @param inner does the work
     */
    public WrappedState(SequenceState inner) {
        this.inner = inner;
    }

    /** The state that does the work. */
    protected final SequenceState inner() {
        return inner;
    }

    /** Wraps a fork of the inner state; a subclass wraps it in its own kind. */
    protected SequenceState wrap(SequenceState fork) {
        return new WrappedState(fork);
    }

    @Override
    public int committedRows() {
        return inner.committedRows();
    }

    @Override
    public int openRows() {
        return inner.openRows();
    }

    @Override
    public void begin(StepKind kind, int[] parents) {
        inner.begin(kind, parents);
    }

    @Override
    public void commit(int[] path) {
        inner.commit(path);
    }

    @Override
    public void rollback() {
        inner.rollback();
    }

    @Override
    public int truncate(int rows) {
        return inner.truncate(rows);
    }

    @Override
    public SequenceState fork() {
        return wrap(inner.fork());
    }

    @Override
    public long exportBytes() {
        return inner.exportBytes();
    }

    @Override
    public void exportTo(MemorySegment target) {
        inner.exportTo(target);
    }

    @Override
    public void importFrom(MemorySegment source) {
        inner.importFrom(source);
    }

    @Override
    public long bytesPerOpenRow() {
        return inner.bytesPerOpenRow();
    }

    @Override
    public void close() {
        inner.close();
    }
}
