package dev.tandem.testkit.oracle;

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

/** The memory of one sequence: lists of rows. */
final class OracleState implements SequenceState {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int MAGIC = 0x54535431;
    private static final int HEADER_BYTES = 12;

    private final Map<String, Slot> slots;
    private final StateOptions options;
    private int committed;
    private @Nullable OpenStep step;
    private boolean closed;

    private OracleState(Map<String, Slot> slots, StateOptions options, int committed) {
        this.slots = slots;
        this.options = options;
        this.committed = committed;
    }

    static OracleState empty(List<StateSpec> specs, StateOptions options) {
        Map<String, Slot> slots = new LinkedHashMap<>();
        for (StateSpec spec : specs) {
            if (slots.put(spec.slot(), new Slot(spec)) != null) {
                throw new IllegalArgumentException("state " + spec.slot() + " is given twice");
            }
        }
        return new OracleState(slots, options, 0);
    }

    Slot slot(String name) {
        Slot slot = slots.get(name);
        if (slot == null) {
            throw new IllegalArgumentException("the sequence has no state " + name + " but " + slots.keySet());
        }
        return slot;
    }

    OpenStep step() {
        if (step == null) {
            throw new IllegalStateException("no step is open");
        }
        return step;
    }

    private void outsideAStep(String call) {
        if (closed) {
            throw new IllegalStateException(call + " on a closed sequence");
        }
        if (step != null) {
            throw new IllegalStateException(call + " inside a step");
        }
    }

    @Override
    public int committedRows() {
        return committed;
    }

    @Override
    public int openRows() {
        return step == null ? 0 : step.rows();
    }

    @Override
    public void begin(StepKind kind, int[] parents) {
        outsideAStep("begin");
        OpenStep next = new OpenStep(kind, parents);
        if (next.rows() > options.maxStepRows() || next.rows() > options.maxRows() - committed) {
            throw new IllegalArgumentException(
                    next.rows() + " rows after " + committed + " do not fit into " + options);
        }
        slots.values().forEach(slot -> slot.begin(next.rows()));
        step = next;
    }

    @Override
    public void commit(int[] path) {
        step().checkPath(path);
        slots.values().forEach(slot -> slot.commit(path));
        committed += path.length;
        step = null;
    }

    @Override
    public void rollback() {
        step = null;
    }

    @Override
    public int truncate(int rows) {
        outsideAStep("truncate");
        if (rows < 0) {
            throw new IllegalArgumentException("truncate to " + rows + " rows");
        }
        int length = Math.min(rows, committed);
        if (length < committed) {
            for (Slot slot : slots.values()) {
                length = slot.cuttable(length);
            }
            for (Slot slot : slots.values()) {
                slot.truncate(length);
            }
            committed = length;
        }
        return length;
    }

    @Override
    public SequenceState fork() {
        outsideAStep("fork");
        Map<String, Slot> copies = new LinkedHashMap<>();
        slots.forEach((name, slot) -> copies.put(name, slot.fork()));
        return new OracleState(copies, options, committed);
    }

    @Override
    public long exportBytes() {
        return bytes(committed);
    }

    private long bytes(int rows) {
        return HEADER_BYTES
                + slots.values().stream().mapToLong(s -> s.exportBytes(rows)).sum();
    }

    @Override
    public void exportTo(MemorySegment target) {
        outsideAStep("exportTo");
        target.set(INT, 0, MAGIC);
        target.set(INT, 4, slots.size());
        target.set(INT, 8, committed);
        long at = HEADER_BYTES;
        for (Slot slot : slots.values()) {
            slot.exportTo(committed, target.asSlice(at, slot.exportBytes(committed)));
            at += slot.exportBytes(committed);
        }
    }

    @Override
    public void importFrom(MemorySegment source) {
        outsideAStep("importFrom");
        long size = source.byteSize();
        int rows = size < HEADER_BYTES ? -1 : source.get(INT, 8);
        if (rows < 0
                || rows > options.maxRows()
                || source.get(INT, 0) != MAGIC
                || source.get(INT, 4) != slots.size()
                || size != bytes(rows)) {
            throw new IllegalArgumentException(size + " bytes are no exported rows of the slots " + slots.keySet());
        }
        long at = HEADER_BYTES;
        for (Slot slot : slots.values()) {
            slot.importFrom(rows, source.asSlice(at, slot.exportBytes(rows)));
            at += slot.exportBytes(rows);
        }
        committed = rows;
    }

    @Override
    public long bytesPerOpenRow() {
        return slots.values().stream().mapToLong(Slot::bytesPerRow).sum();
    }

    @Override
    public void close() {
        closed = true;
        step = null;
    }
}
