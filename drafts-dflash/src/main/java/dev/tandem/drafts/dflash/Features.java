package dev.tandem.drafts.dflash;

import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Hidden states of committed positions that have not been projected yet, per tap. */
final class Features {
    private final int columns;
    private final float[][] taps;
    private int rows;

    /**
     * No rows.
     *
     * @param taps number of taps
     * @param columns of each
     */
    Features(int taps, int columns) {
        this.columns = columns;
        this.taps = new float[taps][0];
    }

    int rows() {
        return rows;
    }

    /** Copies a row of every tap behind the others. */
    void add(Iterable<Rows> sources, int row) {
        int at = rows * columns;
        int tap = 0;
        for (Rows source : sources) {
            if (taps[tap].length < at + columns) {
                taps[tap] = Arrays.copyOf(taps[tap], Math.max(at + columns, 2 * taps[tap].length));
            }
            source.copyTo(row, 1, MemorySegment.ofArray(taps[tap]).asSlice(4L * at, 4L * columns));
            tap++;
        }
        rows++;
    }

    /** The first rows, as inputs of the context graph. */
    Map<String, Rows> first(int count) {
        Map<String, Rows> inputs = new LinkedHashMap<>();
        for (int tap = 0; tap < taps.length; tap++) {
            MemorySegment data = MemorySegment.ofArray(taps[tap]).asSlice(0, 4L * count * columns);
            inputs.put(BlockGraphs.input(tap), new Rows.Host(ValueType.f32(RowSet.STEP, columns), count, data));
        }
        return inputs;
    }

    /** Drops the first rows. */
    void dropFirst(int count) {
        for (float[] tap : taps) {
            System.arraycopy(tap, count * columns, tap, 0, (rows - count) * columns);
        }
        rows -= count;
    }

    /** Drops the last rows, so that some remain. */
    void keep(int count) {
        rows = Math.min(rows, count);
    }
}
