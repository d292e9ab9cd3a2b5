package dev.tandem.spi;

import org.jspecify.annotations.Nullable;

/**
 * The device failed after it was opened: the machine acts.
 *
 * <p>Where {@link #lost()} is false, only this call failed: every handle stays valid, and the open rows of the states it
 * touched are rolled back by the engine (out of memory). Where it is true, every handle of the backend is dead; only
 * {@code close()} may be called, which must not block and must not throw.
 */
public final class DeviceException extends InferenceException {
    private static final long serialVersionUID = 1L;

    private final boolean lost;

    /**
     * A failure of the device.
     *
     * @param code {@link ErrorCode#OUT_OF_MEMORY} or {@link ErrorCode#DEVICE_LOST} in most cases
     * @param message what failed, and on which device
     * @param lost whether every handle of the backend is dead
     * @param cause the failure behind it, or null
     */
    public DeviceException(ErrorCode code, String message, boolean lost, @Nullable Throwable cause) {
        super(code, message, null, cause);
        this.lost = lost;
    }

    /**
     * Whether the device is gone.
     *
     * @return true where every handle of the backend is dead
     */
    public boolean lost() {
        return lost;
    }
}
