package dev.tandem.gpu.device;

import java.lang.foreign.MemorySegment;

/**
 * Host memory that the device copies from and to by itself: what is in it must not change until the device was waited
 * for.
 */
public final class PinnedBuffer implements AutoCloseable {
    private final Device device;
    private final MemorySegment segment;
    private boolean closed;

    PinnedBuffer(Device device, MemorySegment segment) {
        this.device = device;
        this.segment = segment;
    }

    /**
     * The memory.
     *
     * @return valid until this or the device is closed
     */
    public MemorySegment segment() {
        return segment;
    }

    /** Frees the memory. May be called twice, and after the device was closed. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            device.free(this);
        }
    }
}
