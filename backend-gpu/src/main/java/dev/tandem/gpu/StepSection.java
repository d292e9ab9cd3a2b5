package dev.tandem.gpu;

import dev.tandem.spi.backend.Batch;
import java.lang.foreign.MemorySegment;

/** A part of what the host tells the device about each step. */
abstract class StepSection {
    private long address;

    /** Bytes that the part takes for a batch. */
    abstract long bytes(Batch batch);

    /** Writes them. */
    abstract void fill(Batch batch, MemorySegment target);

    /** Where the part lies on the device during this run. */
    final long address() {
        return address;
    }

    final void placeAt(long there) {
        this.address = there;
    }
}
