package dev.tandem.gpu.state;

import dev.tandem.spi.graph.StateSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the slots of a sequence lie in a page of {@value #ROWS} rows, which is one chunk of attention (N5).
 *
 * <p>A slot is its keys, then its values. Values lie {@code [head][row][element]}. Keys are padded to a multiple of 32
 * elements and ordered so that eight of them, which belong to partial sums that the butterfly joins, lie together; in
 * groups of eight they lie {@code [head][group][row][8]}.
 */
public final class KvLayout {
    /** Rows of a page. */
    public static final int ROWS = 128;

    private static final int LANES = 32;
    private static final int GROUP = 8;
    private static final int ALIGNMENT = 256;

    private final List<StateSpec> specs;
    private final Map<String, Slot> slots = new LinkedHashMap<>();
    private final long pageBytes;

    /**
     * One slot's place.
     *
     * @param spec the slot
     * @param offset of the slot in a page, in bytes
     */
    public record Slot(StateSpec.Kv spec, long offset) {
        int elementBytes() {
            return spec.type().blockBytes();
        }

        int paddedKeyDim() {
            return (spec.keyDim() + LANES - 1) / LANES * LANES;
        }

        long bytes() {
            return (long) spec.heads() * ROWS * (paddedKeyDim() + spec.valueDim()) * elementBytes();
        }

        /** Bytes of a row in the portable form. */
        long rowBytes() {
            return (long) spec.heads() * (spec.keyDim() + spec.valueDim()) * elementBytes();
        }

        /** Offset of a key's element in a page, in bytes. */
        long keyAt(int head, int row, int element) {
            int perLane = paddedKeyDim() / LANES;
            int lane = Integer.reverse(element % LANES) >>> (Integer.SIZE - 5);
            int rank = lane * perLane + element / LANES;
            long group = (long) head * (paddedKeyDim() / GROUP) + rank / GROUP;
            return offset + ((group * ROWS + row) * GROUP + rank % GROUP) * elementBytes();
        }

        /** Offset of a value's first element in a page, in bytes. */
        long valueAt(int head, int row) {
            long keys = (long) spec.heads() * paddedKeyDim() * ROWS;
            return offset + (keys + ((long) head * ROWS + row) * spec.valueDim()) * elementBytes();
        }
    }

    KvLayout(List<StateSpec> specs) {
        this.specs = List.copyOf(specs);
        long at = 0;
        for (StateSpec spec : specs) {
            if (!(spec instanceof StateSpec.Kv kv)) {
                throw new IllegalArgumentException("a device keeps keys and values only, not " + spec);
            }
            Slot slot = new Slot(kv, at);
            slots.put(kv.slot(), slot);
            at += (slot.bytes() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        }
        this.pageBytes = at;
    }

    /** Slots in the order in which the state was made. */
    List<Slot> slots() {
        return new ArrayList<>(slots.values());
    }

    /**
     * A slot by name.
     *
     * @param name of the slot
     * @return its place
     */
    public Slot slot(String name) {
        Slot slot = slots.get(name);
        if (slot == null) {
            throw new IllegalArgumentException("the sequence has no keys and values " + name);
        }
        return slot;
    }

    /** Bytes of a page. */
    long pageBytes() {
        return pageBytes;
    }

    /** Bytes that a row takes in the portable form. */
    long rowBytes() {
        return slots.values().stream().mapToLong(Slot::rowBytes).sum();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KvLayout layout && specs.equals(layout.specs);
    }

    @Override
    public int hashCode() {
        return specs.hashCode();
    }
}
