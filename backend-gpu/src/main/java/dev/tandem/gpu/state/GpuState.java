package dev.tandem.gpu.state;

import dev.tandem.gpu.device.DeviceBuffer;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.graph.StateSpec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keys and values of one sequence. Row r of the committed rows is at place r; open row i of a step at place committed + i.
 * Commit moves the kept rows down, so places equal logical positions again.
 */
public final class GpuState implements SequenceState {
    private static final int ROWS = KvLayout.ROWS;

    private final StateMemory memory;
    private final KvLayout layout;
    private final StateOptions options;
    private final List<KvPage> pages = new ArrayList<>();
    private int committed;
    private @Nullable OpenRows open;

    /**
     * A state without rows.
     *
     * @param memory of the device
     * @param specs its slots
     * @param options sizes
     * @throws IllegalArgumentException where a slot is not of keys and values
     */
    public GpuState(StateMemory memory, List<StateSpec> specs, StateOptions options) {
        this(memory, new KvLayout(specs), options);
    }

    private GpuState(StateMemory memory, KvLayout layout, StateOptions options) {
        this.memory = memory;
        this.layout = layout;
        this.options = options;
    }

    /** Where its slots lie. */
    public KvLayout layout() {
        return layout;
    }

    /** Number of pages. */
    public int pages() {
        return pages.size();
    }

    /** Address of a page. */
    public long page(int index) {
        return pages.get(index).address();
    }

    /** The open step. */
    public OpenRows open() {
        if (open == null) {
            throw new IllegalStateException("no step is open");
        }
        return open;
    }

    @Override
    public int committedRows() {
        return committed;
    }

    @Override
    public int openRows() {
        return open == null ? 0 : open.count();
    }

    @Override
    public void begin(StepKind kind, int[] parents) {
        requireClosed("begin");
        OpenRows rows = new OpenRows(kind, parents);
        int end = committed + rows.count();
        if (rows.count() > options.maxStepRows() || end > options.maxRows()) {
            throw new IllegalArgumentException(rows.count() + " rows after " + committed + " exceed the state's "
                    + options.maxRows() + " rows or " + options.maxStepRows() + " per step");
        }
        memory.device().use();
        for (int page = committed / ROWS; page * ROWS < end && layout.pageBytes() > 0; page++) {
            own(page);
        }
        open = rows;
    }

    /** Makes a page that this state alone may write. */
    private void own(int index) {
        if (index == pages.size()) {
            pages.add(newPage());
        } else if (pages.get(index).shared()) {
            KvPage shared = pages.get(index);
            KvPage copy = newPage();
            memory.device().copy(copy.address(), shared.address(), layout.pageBytes());
            pages.set(index, copy);
            shared.release();
        }
    }

    private KvPage newPage() {
        DeviceBuffer buffer = memory.device()
                .allocate(
                        layout.pageBytes(),
                        "rows " + committed / ROWS * ROWS + " and up of a sequence (" + bytesPerOpenRow()
                                + " bytes each)");
        return new KvPage(buffer);
    }

    @Override
    public void commit(int[] path) {
        open().checkPath(path);
        memory.device().use();
        int first = 0;
        while (first < path.length && path[first] == first) {
            first++;
        }
        if (first < path.length) {
            memory.move(this, path);
        }
        committed += path.length;
        open = null;
    }

    @Override
    public void rollback() {
        open = null;
    }

    @Override
    public int truncate(int rows) {
        requireClosed("truncate");
        if (rows < 0) {
            throw new IllegalArgumentException("truncate to " + rows + " rows");
        }
        committed = Math.min(rows, committed);
        releasePages(committed);
        return committed;
    }

    private void releasePages(int rows) {
        while (pages.size() * ROWS >= rows + ROWS) {
            pages.removeLast().release();
        }
    }

    @Override
    public SequenceState fork() {
        requireClosed("fork");
        GpuState copy = new GpuState(memory, layout, options);
        for (int page = 0; page * ROWS < committed && page < pages.size(); page++) {
            copy.pages.add(pages.get(page).share());
        }
        copy.committed = committed;
        return copy;
    }

    @Override
    public long exportBytes() {
        return PortableState.bytes(layout, committed);
    }

    @Override
    public void exportTo(MemorySegment target) {
        requireClosed("exportTo");
        memory.device().use();
        PortableState.write(
                layout,
                committed,
                target,
                (page, bytes) ->
                        memory.transfers().download(bytes, pages.get(page).address()));
    }

    @Override
    public void importFrom(MemorySegment source) {
        requireClosed("importFrom");
        int rows = PortableState.rows(layout, source, options.maxRows());
        memory.device().use();
        List<KvPage> imported = new ArrayList<>();
        try {
            PortableState.read(layout, rows, source, (page, bytes) -> {
                imported.add(newPage());
                memory.transfers().upload(imported.getLast().address(), bytes);
            });
        } catch (RuntimeException e) {
            imported.forEach(KvPage::release);
            throw e;
        }
        releasePages(0);
        pages.addAll(imported);
        committed = rows;
    }

    @Override
    public long bytesPerOpenRow() {
        return layout.rowBytes();
    }

    @Override
    public void close() {
        open = null;
        releasePages(0);
    }

    private void requireClosed(String call) {
        if (open != null) {
            throw new IllegalStateException(call + " inside a step of " + open.count() + " rows");
        }
    }
}
