package dev.tandem.gpu;

import dev.tandem.gpu.state.GpuState;
import dev.tandem.gpu.state.OpenRows;
import dev.tandem.spi.backend.Batch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/**
 * Rows, sequences and pages of a step as an array of ints: a header with the places of the other parts, then these.
 *
 * <pre>
 *   0 slice of each row        4 first row of each slice       8 addresses of pages, [slice][most pages]
 *   1 depth of each row        5 rows of each slice            9 step row of each selected row
 *   2 start of its path        6 committed rows of each slice
 *   3 paths: open rows         7 most pages of a slice
 * </pre>
 */
final class StepTable extends StepSection {
    private static final int HEADER = 16;

    @Override
    long bytes(Batch batch) {
        int slices = batch.slices().size();
        long paths = 0;
        for (Batch.Slice slice : batch.slices()) {
            OpenRows open = state(slice).open();
            for (int row = 0; row < open.count(); row++) {
                paths += open.parent(row) == row - 1 ? 1 : open.depth(row) + 1;
            }
        }
        long ints = HEADER
                + 3L * batch.rows()
                + paths
                + 3L * slices
                + 1
                + 2L * slices * mostPages(batch.slices())
                + batch.selected().length;
        return 4 * ints;
    }

    private static GpuState state(Batch.Slice slice) {
        return (GpuState) slice.state();
    }

    private static int mostPages(List<Batch.Slice> slices) {
        return slices.stream().mapToInt(slice -> state(slice).pages()).max().orElse(0);
    }

    @Override
    void fill(Batch batch, MemorySegment target) {
        Writer writer = new Writer(target);
        List<Batch.Slice> slices = batch.slices();
        int[] header = new int[HEADER];
        int[] slice = new int[batch.rows()];
        int[] depth = new int[batch.rows()];
        int[] pathAt = new int[batch.rows()];
        int[] path = new int[Math.toIntExact(target.byteSize() / 4)];
        int paths = 0;
        for (int i = 0; i < slices.size(); i++) {
            OpenRows open = state(slices.get(i)).open();
            int first = slices.get(i).firstRow();
            for (int row = 0; row < open.count(); row++) {
                slice[first + row] = i;
                depth[first + row] = open.depth(row);
                pathAt[first + row] = open.parent(row) == row - 1 && row > 0 ? pathAt[first + row - 1] : paths;
                paths = appendPath(open, row, path, paths);
            }
        }
        writer.at = HEADER;
        header[9] = writer.put(batch.selected());
        header[0] = writer.put(slice);
        header[1] = writer.put(depth);
        header[2] = writer.put(pathAt);
        header[4] = writer.put(slices.stream().mapToInt(Batch.Slice::firstRow).toArray());
        header[5] =
                writer.put(slices.stream().mapToInt(s -> state(s).openRows()).toArray());
        header[6] = writer.put(
                slices.stream().mapToInt(s -> state(s).committedRows()).toArray());
        header[7] = mostPages(slices);
        header[8] = writer.pages(slices, header[7]);
        header[3] = writer.put(Arrays.copyOf(path, paths));
        writer.at = 0;
        writer.put(header);
    }

    /** A row that follows its predecessor adds itself to the same path; another begins its own. */
    private static int appendPath(OpenRows open, int row, int[] path, int at) {
        if (open.parent(row) == row - 1) {
            path[at] = row;
            return at + 1;
        }
        int end = at + open.depth(row) + 1;
        for (int node = row, i = end - 1; i >= at; i--, node = open.parent(node)) {
            path[i] = node;
        }
        return end;
    }

    /** Address of the step rows that are selected, which follow the header. */
    long selectedAddress() {
        return address() + 4L * HEADER;
    }

    /** Writes parts one after the other and tells where they begin. */
    private static final class Writer {
        private final MemorySegment target;
        private int at;

        Writer(MemorySegment target) {
            this.target = target;
        }

        int put(int[] values) {
            int start = at;
            MemorySegment.copy(values, 0, target, ValueLayout.JAVA_INT, 4L * at, values.length);
            at += values.length;
            return start;
        }

        int pages(List<Batch.Slice> slices, int most) {
            at += at % 2;
            int start = at;
            for (Batch.Slice slice : slices) {
                GpuState state = state(slice);
                for (int page = 0; page < most; page++) {
                    long address = page < state.pages() ? state.page(page) : 0;
                    target.set(ValueLayout.JAVA_LONG_UNALIGNED, 4L * at, address);
                    at += 2;
                }
            }
            return start;
        }
    }
}
