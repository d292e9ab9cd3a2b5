package dev.tandem.backend.cpu.state;

import java.lang.foreign.MemorySegment;

/** One state slot of one sequence. */
interface Slot {
    /** Makes room for open rows after the committed ones. */
    void begin(int committed, OpenRows open);

    /** Keeps a path of the open rows. */
    void commit(int committed, OpenRows open, int[] path);

    /** Longest length at most {@code rows} to which the committed rows can be cut. */
    int cuttable(int committed, int rows);

    /** Cuts to a length that {@link #cuttable} gave. */
    void truncate(int rows);

    /** A copy that shares memory until one of the two changes. */
    Slot fork(int committed);

    long exportBytes(int committed);

    /** Writes {@link #exportBytes} bytes. */
    void exportTo(int committed, MemorySegment target);

    /** Reads {@link #exportBytes} bytes into an empty slot. */
    void importFrom(int committed, MemorySegment source);

    long bytesPerOpenRow();

    void close();
}
