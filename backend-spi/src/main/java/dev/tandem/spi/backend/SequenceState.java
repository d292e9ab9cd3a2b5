package dev.tandem.spi.backend;

import java.lang.foreign.MemorySegment;

/**
 * The memory of one sequence on one backend, changed by transactions only.
 *
 * <p>A step is {@link #begin}, one or more runs over the open rows, then {@link #commit} or {@link #rollback}. The engine
 * owns tokens, positions and the decision; the backend owns the storage. Where a model spans backends, the engine
 * applies the same calls to each backend's state.
 *
 * <p><b>The portable form</b> of the committed rows, little-endian, without padding:
 *
 * <ol>
 *   <li>three 32-bit integers: {@code 0x54535431}, the number of slots, the number of rows;
 *   <li>each slot in the order in which the state was made:
 *       <ul>
 *         <li>{@link dev.tandem.spi.graph.StateSpec.Kv}: per row, in order, the keys {@code [heads][keyDim]}, then the
 *             values {@code [heads][valueDim]}, in the slot's type; of every row, whatever the window;
 *         <li>{@link dev.tandem.spi.graph.StateSpec.ConvWindow}: the last inputs {@code [width - 1][channels]}, f32,
 *             oldest first; zeros for rows before the first;
 *         <li>{@link dev.tandem.spi.graph.StateSpec.DeltaMatrix}: {@code [heads][valueDim][keyDim]}, f32; zeros without
 *             rows.
 *       </ul>
 * </ol>
 */
public interface SequenceState extends AutoCloseable {
    /**
     * Number of committed rows.
     *
     * @return the length of the sequence
     */
    int committedRows();

    /**
     * Number of open rows.
     *
     * @return 0 outside a step
     */
    int openRows();

    /**
     * Opens a step.
     *
     * @param kind what the rows are
     * @param parents per row, the index of its parent row in this step, which is smaller than its own, or -1 for the last
     *     committed row; a chain is {@code {-1, 0, 1, ...}}
     * @throws IllegalStateException where a step is open
     * @throws IllegalArgumentException where the parents are no tree, or the kind allows only a chain
     * @throws dev.tandem.spi.DeviceException where there is no room
     */
    void begin(StepKind kind, int[] parents);

    /**
     * Keeps a path of the open rows, drops the others and ends the step. Never a forward pass: recurrent slots copy a
     * checkpoint or replay a journal of their own inputs, whichever the backend chose.
     *
     * @param path rows from a child of the last committed row downwards, each the parent of the next; may be empty. A
     *     prefill or decode step keeps all rows or none
     * @throws IllegalArgumentException where this is no path
     * @throws IllegalStateException outside a step
     */
    void commit(int[] path);

    /** Drops all open rows and ends the step; does nothing outside a step. */
    void rollback();

    /**
     * Cuts to a length. Recurrent slots can be cut only to a point of which the backend keeps a checkpoint.
     *
     * @param rows committed rows wanted
     * @return the length reached, at most {@code rows}
     * @throws IllegalArgumentException where {@code rows} is negative
     * @throws IllegalStateException inside a step
     */
    int truncate(int rows);

    /**
     * A copy at the committed rows, which shares memory until one of the two changes.
     *
     * @return an independent state
     * @throws IllegalStateException inside a step
     */
    SequenceState fork();

    /**
     * Size of the portable form of the committed rows.
     *
     * @return bytes
     */
    long exportBytes();

    /**
     * Writes the committed rows in a form that does not depend on the device.
     *
     * @param target at least {@link #exportBytes()}
     * @throws IllegalStateException inside a step
     */
    void exportTo(MemorySegment target);

    /**
     * Replaces the committed rows by exported ones of equal slots.
     *
     * @param source what {@link #exportTo} wrote
     * @throws IllegalArgumentException where it does not fit the slots
     * @throws IllegalStateException inside a step
     */
    void importFrom(MemorySegment source);

    /**
     * What an open row costs, for budgets of speculation.
     *
     * @return bytes per row
     */
    long bytesPerOpenRow();

    /** Frees the memory. May be called twice. */
    @Override
    void close();
}
