package dev.tandem.runtime.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.spi.SpiVersion;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs the finder over temporary directories. */
final class PluginFolder {
    private PluginFolder() {}

    /** Searches directories in falling rank, as a runtime of the current SPI. */
    static InstalledPlugins find(Path... directories) {
        return find(SpiVersion.CURRENT, directories);
    }

    static InstalledPlugins find(SpiVersion runtime, Path... directories) {
        return find(PluginFinder.class.getClassLoader(), runtime, directories);
    }

    static InstalledPlugins find(ClassLoader engine, SpiVersion runtime, Path... directories) {
        List<PluginDirectory> places = new ArrayList<>();
        for (Path directory : directories) {
            places.add(new PluginDirectory(directory, PluginSource.OPTION));
        }
        return new PluginFinder(engine, runtime).find(new PluginDirectories(places, List.of()));
    }

    /** The lines for plugins that were dropped in; built-in ones are whatever the test's class path holds. */
    static List<PluginEntry> dropped(InstalledPlugins found) {
        return found.report().entries().stream()
                .filter(entry -> entry.origin().source() != PluginSource.APPLICATION)
                .toList();
    }

    /** The only line for a plugin that was dropped in. */
    static PluginEntry only(InstalledPlugins found) {
        List<PluginEntry> entries = dropped(found);
        assertEquals(1, entries.size(), entries::toString);
        return entries.getFirst();
    }

    static String message(PluginEntry entry) {
        return entry.problem().orElseThrow().message();
    }
}
