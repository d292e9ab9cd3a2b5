package dev.tandem.runtime.state;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.graph.StateSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The state of one sequence on every backend that its model uses. Calls as in {@link SequenceState}. */
public final class Sequence implements AutoCloseable {
    private final Map<Backend, SequenceState> states;

    private Sequence(Map<Backend, SequenceState> states) {
        this.states = states;
    }

    /**
     * Storage without rows.
     *
     * @param slots per backend
     * @param options sizes
     */
    public static Sequence create(Map<Backend, List<StateSpec>> slots, StateOptions options) {
        Sequence sequence = new Sequence(new LinkedHashMap<>());
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
        Sequence copy = new Sequence(new LinkedHashMap<>());
        try {
            states.forEach((backend, state) -> copy.states.put(backend, state.fork()));
        } catch (RuntimeException e) {
            copy.close();
            throw e;
        }
        return copy;
    }

    @Override
    public void close() {
        states.values().forEach(SequenceState::close);
        states.clear();
    }
}
