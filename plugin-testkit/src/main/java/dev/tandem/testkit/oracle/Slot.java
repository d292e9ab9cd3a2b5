package dev.tandem.testkit.oracle;

import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.model.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * One state slot as a list with one entry per row: of keys and values the row's keys and values; of a convolution its
 * input; of a delta rule the matrices after it. Entries never change, so forks copy the list only.
 */
final class Slot {
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort HALF = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final StateSpec spec;
    private final List<float[]> committed;
    /** Leading committed rows whose entries are unknown: an import brings a convolution's last rows only. */
    private int unknown;

    private float[][] open = {};

    Slot(StateSpec spec) {
        this(spec, List.of(), 0);
    }

    private Slot(StateSpec spec, List<float[]> committed, int unknown) {
        this.spec = spec;
        this.committed = new ArrayList<>(committed);
        this.unknown = unknown;
    }

    StateSpec spec() {
        return spec;
    }

    /** Elements of an entry. */
    private int size() {
        return switch (spec) {
            case StateSpec.Kv kv -> kv.heads() * (kv.keyDim() + kv.valueDim());
            case StateSpec.ConvWindow window -> window.channels();
            case StateSpec.DeltaMatrix matrix -> matrix.heads() * matrix.valueDim() * matrix.keyDim();
        };
    }

    /** Committed rows, counted back from the last one, that the exported form holds. */
    private int exported(int rows) {
        return switch (spec) {
            case StateSpec.Kv kv -> rows;
            case StateSpec.ConvWindow window -> window.width() - 1;
            case StateSpec.DeltaMatrix matrix -> 1;
        };
    }

    void begin(int rows) {
        open = new float[rows][size()];
    }

    /** Sets the entry of an open row. */
    void put(int row, float[] entry) {
        open[row] = entry;
    }

    float[] open(int row) {
        return open[row];
    }

    /** Entry of a committed row; zeros before the start of the sequence. */
    float[] committed(int row) {
        return row < 0 ? new float[size()] : committed.get(row - unknown);
    }

    void commit(int[] path) {
        for (int row : path) {
            committed.add(open[row]);
        }
        open = new float[0][];
    }

    /** Longest length at most {@code rows} at which the exported rows are known. */
    int cuttable(int rows) {
        return rows - exported(rows) >= unknown || unknown == 0 ? rows : 0;
    }

    void truncate(int rows) {
        if (rows == 0) {
            unknown = 0;
            committed.clear();
        }
        committed.subList(rows - unknown, committed.size()).clear();
    }

    Slot fork() {
        return new Slot(spec, committed, unknown);
    }

    private int elementBytes() {
        return spec instanceof StateSpec.Kv kv && kv.type() == DType.F16 ? 2 : 4;
    }

    long exportBytes(int rows) {
        return (long) exported(rows) * size() * elementBytes();
    }

    void exportTo(int rows, MemorySegment target) {
        long at = 0;
        for (int row = rows - exported(rows); row < rows; row++) {
            for (float element : committed(row)) {
                if (elementBytes() == 2) {
                    target.set(HALF, 2 * at++, Float.floatToFloat16(element));
                } else {
                    target.set(FLOAT, 4 * at++, element);
                }
            }
        }
    }

    void importFrom(int rows, MemorySegment source) {
        truncate(0);
        unknown = Math.max(0, rows - exported(rows));
        long at = 0;
        for (int row = rows - exported(rows); row < rows; row++) {
            float[] entry = new float[size()];
            for (int i = 0; i < entry.length; i++, at++) {
                entry[i] = elementBytes() == 2
                        ? Float.float16ToFloat(source.get(HALF, 2 * at))
                        : source.get(FLOAT, 4 * at);
            }
            if (row >= 0) {
                committed.add(entry);
            }
        }
    }

    long bytesPerRow() {
        return (long) size() * elementBytes();
    }
}
