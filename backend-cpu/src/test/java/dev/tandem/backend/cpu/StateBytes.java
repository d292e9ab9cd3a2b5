package dev.tandem.backend.cpu;

import dev.tandem.spi.backend.SequenceState;
import java.lang.foreign.MemorySegment;

/** The exported form of a state, to compare states as bytes. */
final class StateBytes {
    private StateBytes() {}

    static byte[] of(SequenceState state) {
        byte[] bytes = new byte[Math.toIntExact(state.exportBytes())];
        state.exportTo(MemorySegment.ofArray(bytes));
        return bytes;
    }
}
