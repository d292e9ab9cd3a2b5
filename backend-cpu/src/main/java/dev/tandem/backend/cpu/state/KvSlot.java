package dev.tandem.backend.cpu.state;

import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.model.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Keys and values in pages. Row r of the committed rows is at place r; open row i of a step at place committed + i.
 * Commit moves the kept rows down, so places equal logical positions again. Forks share pages; a page is copied before
 * the first write of one of several owners.
 */
public final class KvSlot implements Slot {
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int ROWS = KvPage.ROWS;

    private final StateSpec.Kv spec;
    private final boolean half;
    private final List<KvPage> pages = new ArrayList<>();

    KvSlot(StateSpec.Kv spec) {
        this.spec = spec;
        this.half = spec.type() == DType.F16;
    }

    /** Whether elements are f16. */
    public boolean half() {
        return half;
    }

    /** The declared sizes. */
    public StateSpec.Kv spec() {
        return spec;
    }

    /** f32 keys of the page that holds a place. */
    public float[] keys(int place) {
        return pages.get(place / ROWS).keys;
    }

    /** f32 values of the page that holds a place. */
    public float[] values(int place) {
        return pages.get(place / ROWS).values;
    }

    @Override
    public void begin(int committed, OpenRows open) {
        int end = committed + open.count();
        for (int page = committed / ROWS; page * ROWS < end; page++) {
            if (page == pages.size()) {
                pages.add(newPage());
            } else {
                own(page);
            }
        }
    }

    private KvPage newPage() {
        int keyColumns = spec.heads() * spec.keyDim();
        int valueColumns = spec.heads() * spec.valueDim();
        return half ? KvPage.f16(keyColumns, valueColumns) : KvPage.f32(keyColumns, valueColumns);
    }

    private void own(int index) {
        KvPage page = pages.get(index);
        if (page.owners > 1) {
            pages.set(index, page.copy());
            page.owners--;
        }
    }

    /** Stores one row, rounded to the slot's type. */
    public void write(int place, float[] key, int ko, float[] value, int vo) {
        KvPage page = pages.get(place / ROWS);
        int row = place % ROWS;
        int keyColumns = spec.heads() * spec.keyDim();
        for (int j = 0; j < keyColumns; j++) {
            if (half) {
                page.halfKeys[j * ROWS + row] = Float.floatToFloat16(key[ko + j]);
            } else {
                page.keys[j * ROWS + row] = key[ko + j];
            }
        }
        for (int head = 0; head < spec.heads(); head++) {
            int at = (head * ROWS + row) * spec.valueDim();
            int from = vo + head * spec.valueDim();
            for (int j = 0; j < spec.valueDim(); j++) {
                if (half) {
                    page.halfValues[at + j] = Float.floatToFloat16(value[from + j]);
                } else {
                    page.values[at + j] = value[from + j];
                }
            }
        }
    }

    /**
     * Widens the keys of one head at consecutive places of one page to f32.
     *
     * @param keys receives element j of place i at {@code j * ROWS + column + i}
     */
    public void loadKeys(int head, int place, int count, float[] keys, int column) {
        KvPage page = pages.get(place / ROWS);
        int row = place % ROWS;
        for (int j = 0; j < spec.keyDim(); j++) {
            int from = (head * spec.keyDim() + j) * ROWS + row;
            if (half) {
                widen(page.halfKeys, from, keys, j * ROWS + column, count);
            } else {
                System.arraycopy(page.keys, from, keys, j * ROWS + column, count);
            }
        }
    }

    /** Widens the values of one head at consecutive places of one page to f32; place i goes to row {@code column + i}. */
    public void loadValues(int head, int place, int count, float[] values, int column) {
        KvPage page = pages.get(place / ROWS);
        int dim = spec.valueDim();
        int from = (head * ROWS + place % ROWS) * dim;
        if (half) {
            widen(page.halfValues, from, values, column * dim, count * dim);
        } else {
            System.arraycopy(page.values, from, values, column * dim, count * dim);
        }
    }

    private static void widen(short[] from, int at, float[] to, int index, int count) {
        for (int i = 0; i < count; i++) {
            to[index + i] = Float.float16ToFloat(from[at + i]);
        }
    }

    @Override
    public void commit(int committed, OpenRows open, int[] path) {
        for (int i = 0; i < path.length; i++) {
            if (path[i] != i) {
                move(committed + path[i], committed + i);
            }
        }
    }

    private void move(int from, int to) {
        KvPage source = pages.get(from / ROWS);
        KvPage target = pages.get(to / ROWS);
        for (int j = 0; j < spec.heads() * spec.keyDim(); j++) {
            if (half) {
                target.halfKeys[j * ROWS + to % ROWS] = source.halfKeys[j * ROWS + from % ROWS];
            } else {
                target.keys[j * ROWS + to % ROWS] = source.keys[j * ROWS + from % ROWS];
            }
        }
        int dim = spec.valueDim();
        for (int head = 0; head < spec.heads(); head++) {
            int at = (head * ROWS + from % ROWS) * dim;
            int goal = (head * ROWS + to % ROWS) * dim;
            if (half) {
                System.arraycopy(source.halfValues, at, target.halfValues, goal, dim);
            } else {
                System.arraycopy(source.values, at, target.values, goal, dim);
            }
        }
    }

    @Override
    public int cuttable(int committed, int rows) {
        return rows;
    }

    @Override
    public void truncate(int rows) {
        while (pages.size() * ROWS >= rows + ROWS) {
            pages.removeLast().owners--;
        }
    }

    @Override
    public Slot fork(int committed) {
        KvSlot copy = new KvSlot(spec);
        for (int i = 0; i * ROWS < committed; i++) {
            KvPage page = pages.get(i);
            page.owners++;
            copy.pages.add(page);
        }
        return copy;
    }

    @Override
    public long exportBytes(int committed) {
        return committed * bytesPerOpenRow();
    }

    @Override
    public long bytesPerOpenRow() {
        return (long) spec.heads()
                * (spec.keyDim() + spec.valueDim())
                * spec.type().blockBytes();
    }

    @Override
    public void exportTo(int committed, MemorySegment target) {
        long at = 0;
        for (int place = 0; place < committed; place++) {
            KvPage page = pages.get(place / ROWS);
            for (int j = 0; j < spec.heads() * spec.keyDim(); j++, at++) {
                put(target, at, page.keys, page.halfKeys, j * ROWS + place % ROWS);
            }
            for (int j = 0; j < spec.heads() * spec.valueDim(); j++, at++) {
                put(target, at, page.values, page.halfValues, valueIndex(place, j));
            }
        }
    }

    @Override
    public void importFrom(int committed, MemorySegment source) {
        truncate(0);
        while (pages.size() * ROWS < committed) {
            pages.add(newPage());
        }
        long at = 0;
        for (int place = 0; place < committed; place++) {
            KvPage page = pages.get(place / ROWS);
            for (int j = 0; j < spec.heads() * spec.keyDim(); j++, at++) {
                get(source, at, page.keys, page.halfKeys, j * ROWS + place % ROWS);
            }
            for (int j = 0; j < spec.heads() * spec.valueDim(); j++, at++) {
                get(source, at, page.values, page.halfValues, valueIndex(place, j));
            }
        }
    }

    private int valueIndex(int place, int column) {
        int dim = spec.valueDim();
        return (column / dim * ROWS + place % ROWS) * dim + column % dim;
    }

    private void put(MemorySegment target, long at, float[] floats, short[] halves, int index) {
        if (half) {
            target.set(SHORT, 2 * at, halves[index]);
        } else {
            target.set(FLOAT, 4 * at, floats[index]);
        }
    }

    private void get(MemorySegment source, long at, float[] floats, short[] halves, int index) {
        if (half) {
            halves[index] = source.get(SHORT, 2 * at);
        } else {
            floats[index] = source.get(FLOAT, 4 * at);
        }
    }

    @Override
    public void close() {
        truncate(0);
    }
}
