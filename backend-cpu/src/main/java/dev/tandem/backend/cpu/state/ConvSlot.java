package dev.tandem.backend.cpu.state;

import dev.tandem.spi.graph.StateSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The last inputs of a short convolution; open rows keep theirs in a journal until the step ends. */
public final class ConvSlot implements Slot {
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final StateSpec.ConvWindow spec;
    /** {@code [width - 1][channels]}, oldest first; rows before the sequence's start are 0. */
    private float[] window;

    private float[] journal = {};

    ConvSlot(StateSpec.ConvWindow spec) {
        this.spec = spec;
        this.window = new float[(spec.width() - 1) * spec.channels()];
    }

    /** Inputs of the open rows, {@code [row][channels]}, written by the run. */
    public float[] journal() {
        return journal;
    }

    /** Committed inputs, {@code [width - 1][channels]}, oldest first. */
    public float[] window() {
        return window;
    }

    @Override
    public void begin(int committed, OpenRows open) {
        int size = open.count() * spec.channels();
        if (journal.length < size) {
            journal = new float[size];
        }
    }

    @Override
    public void commit(int committed, OpenRows open, int[] path) {
        int channels = spec.channels();
        int kept = spec.width() - 1;
        float[] next = new float[window.length];
        for (int t = 0; t < kept; t++) {
            int index = path.length - kept + t;
            float[] from = index >= 0 ? journal : window;
            int row = index >= 0 ? path[index] : kept + index;
            System.arraycopy(from, row * channels, next, t * channels, channels);
        }
        window = next;
    }

    @Override
    public int cuttable(int committed, int rows) {
        return rows == committed ? rows : 0;
    }

    @Override
    public void truncate(int rows) {
        if (rows == 0) {
            window = new float[window.length];
        }
    }

    @Override
    public Slot fork(int committed) {
        ConvSlot copy = new ConvSlot(spec);
        copy.window = window.clone();
        return copy;
    }

    @Override
    public long exportBytes(int committed) {
        return 4L * window.length;
    }

    @Override
    public void exportTo(int committed, MemorySegment target) {
        MemorySegment.copy(window, 0, target, FLOAT, 0, window.length);
    }

    @Override
    public void importFrom(int committed, MemorySegment source) {
        MemorySegment.copy(source, FLOAT, 0, window, 0, window.length);
    }

    @Override
    public long bytesPerOpenRow() {
        return 4L * spec.channels();
    }

    @Override
    public void close() {
        journal = new float[0];
    }
}
