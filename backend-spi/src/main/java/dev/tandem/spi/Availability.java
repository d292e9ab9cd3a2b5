package dev.tandem.spi;

import java.util.List;
import java.util.Optional;

/** Answer of a probe: devices, or the reason why there are none. */
public sealed interface Availability {
    /**
     * The plugin can run.
     *
     * @param devices at least one, in the driver's order
     */
    record Available(List<DeviceInfo> devices) implements Availability {
        /** Copies the list and refuses an empty one. */
        public Available {
            devices = List.copyOf(devices);
            if (devices.isEmpty()) {
                throw new IllegalArgumentException("available without a device");
            }
        }
    }

    /**
     * The plugin cannot run here.
     *
     * @param reason the class of reason
     * @param detail the loader's or the driver's own words
     * @param remedy what the user can do
     * @param cause the failure, when there was one
     */
    record Unavailable(Reason reason, String detail, String remedy, Optional<Throwable> cause)
            implements Availability {}

    /** Classes of reasons. */
    enum Reason {
        /** Another operating system or processor. */
        WRONG_PLATFORM,
        /** The jar was built without its native part. */
        NOT_BUILT,
        /** A library was not found. */
        LIBRARY_MISSING,
        /** A library was found and could not be loaded. */
        LIBRARY_UNLOADABLE,
        /** The driver lacks something that the plugin needs. */
        DRIVER_TOO_OLD,
        /** The driver works and lists no device. */
        NO_DEVICE,
        /** The JVM denied native access. */
        NATIVE_ACCESS_DENIED,
        /** Switched off by the user. */
        DISABLED_BY_USER,
        /** A fault of the plugin. */
        INTERNAL_ERROR
    }
}
