package dev.tandem.runtime.plugin;

import dev.tandem.spi.SpiVersion;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a plugin comes from and what its manifest says.
 *
 * @param source the sort of directory
 * @param entry the jar or directory as found in its plugin directory; for built-in ones the place on the class path
 * @param jar the jar that holds the services file, links resolved; empty where none was found, and for built-in ones
 * @param version {@code Implementation-Version} of the manifest
 * @param spiVersion {@code Spi-Version} of the manifest, where it is readable
 */
public record PluginOrigin(
        PluginSource source,
        Optional<Path> entry,
        Optional<Path> jar,
        Optional<String> version,
        Optional<SpiVersion> spiVersion) {
    static PluginOrigin ofEntry(PluginSource source, Path entry) {
        return new PluginOrigin(source, Optional.of(entry), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** The place in words: the entry's path, or {@code the application class path}. */
    public String place() {
        return source == PluginSource.APPLICATION
                ? "the application class path"
                : entry.map(Path::toString).orElse(source.label());
    }
}
