package dev.tandem.gpu.device;

/** Kernels recorded once, with their arguments, and launched as one. */
public final class DeviceGraph implements AutoCloseable {
    private final Device device;
    private final long executable;
    private boolean closed;

    DeviceGraph(Device device, long executable) {
        this.device = device;
        this.executable = executable;
    }

    long executable() {
        return executable;
    }

    /**
     * Queues all kernels.
     *
     * @throws dev.tandem.spi.DeviceException where the device failed
     */
    public void run() {
        device.launch(this);
    }

    /** Frees the recording. May be called twice, and after the device was closed. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            device.free(this);
        }
    }
}
