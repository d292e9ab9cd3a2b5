package dev.tandem.runtime.plugin;

import java.util.List;

/**
 * What the search for plugins found, as data that only needs formatting.
 *
 * @param directories the directories that were searched, the highest rank first
 * @param entries built-in providers, then plugins in the order of directories and names
 * @param notices one line each: places that could not be used, and plugins that override others
 */
public record PluginReport(List<PluginDirectory> directories, List<PluginEntry> entries, List<String> notices) {
    /** Copies the lists. */
    public PluginReport {
        directories = List.copyOf(directories);
        entries = List.copyOf(entries);
        notices = List.copyOf(notices);
    }

    /** The refused and the failed plugins. */
    public List<PluginEntry> broken() {
        return entries.stream().filter(PluginEntry::isBroken).toList();
    }
}
