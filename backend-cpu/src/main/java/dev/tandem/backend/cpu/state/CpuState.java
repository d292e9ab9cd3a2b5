package dev.tandem.backend.cpu.state;

import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.graph.StateSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The memory of one sequence on the CPU. */
public final class CpuState implements SequenceState {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int MAGIC = 0x54_53_54_31;
    private static final int HEADER_BYTES = 12;

    private final Map<String, Slot> slots;
    private final StateOptions options;
    private int committed;
    private @Nullable OpenRows open;

    /**
     * A state without rows.
     *
     * @param specs its slots
     * @param options sizes
     * @param kernels replay recurrences
     */
    public CpuState(List<StateSpec> specs, StateOptions options, Kernels kernels) {
        this.slots = new LinkedHashMap<>();
        this.options = options;
        for (StateSpec spec : specs) {
            Slot slot = switch (spec) {
                case StateSpec.Kv kv -> new KvSlot(kv);
                case StateSpec.ConvWindow window -> new ConvSlot(window);
                case StateSpec.DeltaMatrix matrix -> new DeltaSlot(matrix, kernels);
            };
            slots.put(spec.slot(), slot);
        }
    }

    private CpuState(Map<String, Slot> slots, StateOptions options, int committed) {
        this.slots = slots;
        this.options = options;
        this.committed = committed;
    }

    /**
     * A slot by name.
     *
     * @param name of the slot
     * @param kind of the slot
     */
    public <T> T slot(String name, Class<T> kind) {
        Slot slot = slots.get(name);
        if (!kind.isInstance(slot)) {
            throw new IllegalArgumentException(
                    "the sequence has no state " + name + " of kind " + kind.getSimpleName());
        }
        return kind.cast(slot);
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
        if (rows.count() > options.maxStepRows() || committed + rows.count() > options.maxRows()) {
            throw new IllegalArgumentException(rows.count() + " rows after " + committed + " exceed the state's "
                    + options.maxRows() + " rows or " + options.maxStepRows() + " per step");
        }
        try {
            for (Slot slot : slots.values()) {
                slot.begin(committed, rows);
            }
        } catch (OutOfMemoryError e) {
            throw new DeviceException(
                    ErrorCode.OUT_OF_MEMORY,
                    "cpu: no memory for rows " + committed + " to " + (committed + rows.count()) + " of a sequence ("
                            + bytesPerOpenRow() + " bytes each)",
                    false,
                    e);
        }
        open = rows;
    }

    @Override
    public void commit(int[] path) {
        OpenRows rows = open();
        rows.checkPath(path);
        for (Slot slot : slots.values()) {
            slot.commit(committed, rows, path);
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
        int length = Math.min(rows, committed);
        for (Slot slot : slots.values()) {
            length = Math.min(length, slot.cuttable(committed, length));
        }
        if (length < committed) {
            for (Slot slot : slots.values()) {
                slot.truncate(length);
            }
            committed = length;
        }
        return length;
    }

    @Override
    public SequenceState fork() {
        requireClosed("fork");
        Map<String, Slot> copies = new LinkedHashMap<>();
        slots.forEach((name, slot) -> copies.put(name, slot.fork(committed)));
        return new CpuState(copies, options, committed);
    }

    @Override
    public long exportBytes() {
        return HEADER_BYTES
                + slots.values().stream()
                        .mapToLong(slot -> slot.exportBytes(committed))
                        .sum();
    }

    @Override
    public void exportTo(MemorySegment target) {
        requireClosed("exportTo");
        target.set(INT, 0, MAGIC);
        target.set(INT, 4, slots.size());
        target.set(INT, 8, committed);
        long at = HEADER_BYTES;
        for (Slot slot : slots.values()) {
            long bytes = slot.exportBytes(committed);
            slot.exportTo(committed, target.asSlice(at, bytes));
            at += bytes;
        }
    }

    @Override
    public void importFrom(MemorySegment source) {
        requireClosed("importFrom");
        int rows = source.byteSize() < HEADER_BYTES ? -1 : source.get(INT, 8);
        if (rows < 0 || source.get(INT, 0) != MAGIC || source.get(INT, 4) != slots.size() || rows > options.maxRows()) {
            throw new IllegalArgumentException("these bytes are no state of " + slots.size() + " slots and at most "
                    + options.maxRows() + " rows");
        }
        long expected = HEADER_BYTES
                + slots.values().stream()
                        .mapToLong(slot -> slot.exportBytes(rows))
                        .sum();
        if (source.byteSize() != expected) {
            throw new IllegalArgumentException(
                    "a state of " + rows + " rows has " + expected + " bytes, not " + source.byteSize());
        }
        long at = HEADER_BYTES;
        for (Slot slot : slots.values()) {
            long bytes = slot.exportBytes(rows);
            slot.importFrom(rows, source.asSlice(at, bytes));
            at += bytes;
        }
        committed = rows;
    }

    @Override
    public long bytesPerOpenRow() {
        return slots.values().stream().mapToLong(Slot::bytesPerOpenRow).sum();
    }

    @Override
    public void close() {
        open = null;
        slots.values().forEach(Slot::close);
    }

    private void requireClosed(String call) {
        if (open != null) {
            throw new IllegalStateException(call + " inside a step of " + open.count() + " rows");
        }
    }
}
