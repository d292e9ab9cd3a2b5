package dev.tandem.runtime.plugin;

import dev.tandem.spi.Availability;
import dev.tandem.spi.backend.BackendProvider;

/**
 * A backend in use together with its latest answer to a probe.
 *
 * @param backend the provider and its origin
 * @param availability its devices, or why it cannot run
 */
public record ProbedBackend(LoadedProvider<BackendProvider> backend, Availability availability) {
    /** The backend's id. */
    public String id() {
        return backend.id();
    }
}
