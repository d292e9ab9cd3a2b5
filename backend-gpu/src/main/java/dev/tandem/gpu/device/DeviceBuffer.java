package dev.tandem.gpu.device;

/** A block of device memory. */
public final class DeviceBuffer implements AutoCloseable {
    private final Device device;
    private final long address;
    private final long bytes;
    private boolean closed;

    DeviceBuffer(Device device, long address, long bytes) {
        this.device = device;
        this.address = address;
        this.bytes = bytes;
    }

    /**
     * Where it begins, on the device.
     *
     * @return a multiple of 256
     */
    public long address() {
        return address;
    }

    /**
     * Its size.
     *
     * @return bytes
     */
    public long bytes() {
        return bytes;
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
