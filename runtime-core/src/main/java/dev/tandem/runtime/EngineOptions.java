package dev.tandem.runtime;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where an engine looks for plugins.
 *
 * @param pluginDirectories searched first, in this order; each must exist
 * @param installation the directory that holds the installation, where it is known; its {@code plugins} are searched
 */
public record EngineOptions(List<Path> pluginDirectories, Optional<Path> installation) {
    /** Copies the list. */
    public EngineOptions {
        pluginDirectories = List.copyOf(pluginDirectories);
    }

    /** No directories beyond the environment's and the user's. */
    public static EngineOptions defaults() {
        return new EngineOptions(List.of(), Optional.empty());
    }
}
