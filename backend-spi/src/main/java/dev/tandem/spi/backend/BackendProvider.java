package dev.tandem.spi.backend;

import dev.tandem.spi.Availability;
import dev.tandem.spi.DeviceInfo;

/** Entry of a backend plugin, found by {@link java.util.ServiceLoader}; its public constructor does no work. */
public interface BackendProvider {
    /**
     * Name that users type.
     *
     * @return lower-case letters, digits and dashes, such as {@code cpu}
     */
    String id();

    /**
     * Looks for devices. Cheap, repeatable, without side effects; absence is a value and nothing is thrown.
     *
     * @return devices, or why there are none
     */
    Availability probe();

    /**
     * Opens a device.
     *
     * @param device one that {@link #probe()} returned
     * @param options what the user chose
     * @return an open backend
     * @throws dev.tandem.spi.DeviceException where the device cannot be opened
     */
    Backend open(DeviceInfo device, OpenOptions options);

    /**
     * What the user chose for a device.
     *
     * @param threads host threads to use for computing; 0 leaves it to the backend
     */
    record OpenOptions(int threads) {
        /** Leaves everything to the backend. */
        public static final OpenOptions DEFAULT = new OpenOptions(0);
    }
}
