package dev.tandem.gpu;

import dev.tandem.gpu.device.Device;
import dev.tandem.gpu.device.DeviceBuffer;
import org.jspecify.annotations.Nullable;

/** Memory that one kernel leaves to the next and nobody else; it grows and never shrinks. */
final class Workspace implements AutoCloseable {
    private final Device device;
    private final String what;
    private @Nullable DeviceBuffer buffer;

    Workspace(Device device, String what) {
        this.device = device;
        this.what = what;
    }

    /** Address of at least as many bytes; what was there may be gone. */
    long reserve(long bytes) {
        DeviceBuffer known = buffer;
        if (known == null || known.bytes() < bytes) {
            close();
            known = device.allocate(bytes, what);
            buffer = known;
        }
        return known.address();
    }

    /** Where it lies, or 0. */
    long address() {
        return buffer == null ? 0 : buffer.address();
    }

    long bytes() {
        return buffer == null ? 0 : buffer.bytes();
    }

    @Override
    public void close() {
        if (buffer != null) {
            buffer.close();
            buffer = null;
        }
    }
}
