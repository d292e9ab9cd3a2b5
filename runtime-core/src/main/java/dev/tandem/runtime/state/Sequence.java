package dev.tandem.runtime.state;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.graph.StateSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The state of one sequence on every backend that its model uses. Calls as in {@link SequenceState}. */
public final class Sequence implements AutoCloseable {
    private final Map<Backend, SequenceState> states = new LinkedHashMap<>();
    private final Map<Backend, List<StateSpec>> slots;

    private Sequence(Map<Backend, List<StateSpec>> slots) {
        this.slots = slots;
    }

    /**
     * Storage without rows.
     *
     * @param slots per backend
     * @param options sizes
     */
    public static Sequence create(Map<Backend, List<StateSpec>> slots, StateOptions options) {
        Sequence sequence = new Sequence(Map.copyOf(slots));
        try {
            slots.forEach((backend, specs) -> sequence.states.put(backend, backend.newState(specs, options)));
        } catch (RuntimeException e) {
            sequence.close();
            throw e;
        }
        return sequence;
    }

    /** The part that a backend holds. */
    public SequenceState on(Backend backend) {
        SequenceState state = states.get(backend);
        if (state == null) {
            throw new IllegalArgumentException(
                    "the sequence has no state on " + backend.device().id());
        }
        return state;
    }

    /** Number of committed rows. */
    public int committedRows() {
        return first().committedRows();
    }

    /** Number of open rows. */
    public int openRows() {
        return first().openRows();
    }

    private SequenceState first() {
        if (states.isEmpty()) {
            throw new IllegalStateException("the sequence is closed");
        }
        return states.values().iterator().next();
    }

    /** Opens a step on every backend, or on none where one of them fails. */
    public void begin(StepKind kind, int[] parents) {
        try {
            states.values().forEach(state -> state.begin(kind, parents));
        } catch (RuntimeException e) {
            rollback();
            throw e;
        }
    }

    /** Keeps a path of the open rows. */
    public void commit(int[] path) {
        states.values().forEach(state -> state.commit(path));
    }

    /** Drops the open rows. */
    public void rollback() {
        states.values().forEach(SequenceState::rollback);
    }

    /** Cuts to a length; answers the length reached, which is equal on all backends. */
    public int truncate(int rows) {
        int length = Math.min(rows, committedRows());
        for (int reached = -1; reached != length; ) {
            reached = length;
            for (SequenceState state : states.values()) {
                length = Math.min(length, state.truncate(length));
            }
        }
        return length;
    }

    /** An independent copy at the committed rows. */
    public Sequence fork() {
        Sequence copy = new Sequence(slots);
        try {
            states.forEach((backend, state) -> copy.states.put(backend, state.fork()));
        } catch (RuntimeException e) {
            copy.close();
            throw e;
        }
        return copy;
    }

    /**
     * Size of the committed rows in the form that depends on no device.
     *
     * @param order every slot of the model, as its graph lists them
     * @param rows committed rows
     */
    public static long exportBytes(List<StateSpec> order, int rows) {
        return PortableForm.bytes(order, rows);
    }

    /**
     * The committed rows in a form that depends neither on the devices nor on which slot lies on which of them: that of
     * {@link SequenceState}, with all slots.
     *
     * @param order every slot of the model, as its graph lists them
     * @param arena allocates it
     */
    public MemorySegment export(List<StateSpec> order, Arena arena) {
        return PortableForm.collect(parts(), order, committedRows(), arena);
    }

    /**
     * Replaces the committed rows.
     *
     * @param order every slot of the model, as its graph lists them
     * @param form what {@link #export} gave for that many rows
     * @param rows number of rows
     * @throws IllegalArgumentException where the form is not of these slots and rows
     */
    public void importFrom(List<StateSpec> order, MemorySegment form, int rows) {
        if (form.byteSize() != exportBytes(order, rows)) {
            throw new IllegalArgumentException(form.byteSize() + " bytes for " + rows + " rows");
        }
        PortableForm.distribute(form, order, rows, parts());
    }

    private List<PortableForm.Part> parts() {
        return states.entrySet().stream()
                .map(entry -> new PortableForm.Part(entry.getValue(), slots.getOrDefault(entry.getKey(), List.of())))
                .toList();
    }

    @Override
    public void close() {
        states.values().forEach(SequenceState::close);
        states.clear();
    }
}
