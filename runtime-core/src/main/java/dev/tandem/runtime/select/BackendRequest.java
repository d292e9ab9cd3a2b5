package dev.tandem.runtime.select;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.Optional;

/**
 * What the user asked for.
 *
 * @param id a backend's name; empty to let the facts decide
 * @param device the id of one of its devices; only together with a backend, since ids are its own
 */
public record BackendRequest(Optional<String> id, Optional<String> device) {
    /** The word that leaves the choice to the facts. */
    public static final String AUTO = "auto";

    /** Refuses a device without a backend. */
    public BackendRequest {
        if (id.isEmpty() && device.isPresent()) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "device '" + device.get() + "' was asked for without a backend",
                    "Name the backend too, with --backend.");
        }
    }

    /** Leaves everything to the facts. */
    public static BackendRequest auto() {
        return new BackendRequest(Optional.empty(), Optional.empty());
    }

    /**
     * Reads the value of {@code --backend}.
     *
     * @param name {@code auto} or a backend's name
     * @return the request, for any device
     */
    public static BackendRequest named(String name) {
        return name.equals(AUTO) ? auto() : new BackendRequest(Optional.of(name), Optional.empty());
    }

    /**
     * Narrows the request to one device.
     *
     * @param device as the backend calls it
     * @return the request
     * @throws UsageException where no backend is named
     */
    public BackendRequest onDevice(String device) {
        return new BackendRequest(id, Optional.of(device));
    }
}
