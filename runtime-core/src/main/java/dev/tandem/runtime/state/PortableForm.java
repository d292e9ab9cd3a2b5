package dev.tandem.runtime.state;

import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.graph.StateSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The portable form of {@link SequenceState}, for a model whose slots may lie on several backends: the bytes are those of one
 * backend that holds all slots in the order of the model's graph, wherever they lie.
 */
final class PortableForm {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int MAGIC = 0x54_53_54_31;
    private static final int HEADER_BYTES = 12;

    private PortableForm() {}

    /** A backend's state and its slots, in its own order. */
    record Part(SequenceState state, List<StateSpec> slots) {}

    /** Size of the form of some slots. */
    static long bytes(List<StateSpec> slots, long rows) {
        long sum = HEADER_BYTES;
        for (StateSpec slot : slots) {
            sum = Math.addExact(sum, bytes(slot, rows));
        }
        return sum;
    }

    private static long bytes(StateSpec slot, long rows) {
        return switch (slot) {
            case StateSpec.Kv kv ->
                product(
                        rows,
                        kv.heads(),
                        kv.keyDim() + (long) kv.valueDim(),
                        kv.type().blockBytes());
            case StateSpec.ConvWindow window -> product(window.width() - 1L, window.channels(), 1, Float.BYTES);
            case StateSpec.DeltaMatrix matrix ->
                product(matrix.heads(), matrix.keyDim(), matrix.valueDim(), Float.BYTES);
        };
    }

    private static long product(long a, long b, long c, long d) {
        return Math.multiplyExact(Math.multiplyExact(a, b), Math.multiplyExact(c, d));
    }

    /**
     * Collects the form from all parts.
     *
     * @param order every slot once
     */
    static MemorySegment collect(List<Part> parts, List<StateSpec> order, int rows, Arena arena) {
        MemorySegment whole = arena.allocate(bytes(order, rows));
        if (isWhole(parts, order)) {
            parts.getFirst().state().exportTo(whole);
            return whole;
        }
        header(whole, order.size(), rows);
        for (Part part : parts) {
            try (Arena local = Arena.ofConfined()) {
                MemorySegment bytes = local.allocate(bytes(part.slots(), rows));
                part.state().exportTo(bytes);
                for (StateSpec slot : part.slots()) {
                    at(whole, order, slot, rows).copyFrom(at(bytes, part.slots(), slot, rows));
                }
            }
        }
        return whole;
    }

    /** Gives every part its slots; the form's size must be that of its slots and rows. */
    static void distribute(MemorySegment whole, List<StateSpec> order, int rows, List<Part> parts) {
        if (isWhole(parts, order)) {
            parts.getFirst().state().importFrom(whole);
            return;
        }
        for (Part part : parts) {
            try (Arena local = Arena.ofConfined()) {
                MemorySegment bytes = local.allocate(bytes(part.slots(), rows));
                header(bytes, part.slots().size(), rows);
                for (StateSpec slot : part.slots()) {
                    at(bytes, part.slots(), slot, rows).copyFrom(at(whole, order, slot, rows));
                }
                part.state().importFrom(bytes);
            }
        }
    }

    private static boolean isWhole(List<Part> parts, List<StateSpec> order) {
        return parts.size() == 1 && parts.getFirst().slots().equals(order);
    }

    private static void header(MemorySegment form, int slots, int rows) {
        form.set(INT, 0, MAGIC);
        form.set(INT, 4, slots);
        form.set(INT, 8, rows);
    }

    private static MemorySegment at(MemorySegment form, List<StateSpec> order, StateSpec slot, int rows) {
        List<StateSpec> before = new ArrayList<>(order.subList(0, order.indexOf(slot)));
        return form.asSlice(bytes(before, rows), bytes(slot, rows));
    }
}
