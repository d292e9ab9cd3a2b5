package dev.tandem.runtime.plugin;

import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.spi.draft.DraftProvider;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The providers in use, and the report on all that were found.
 *
 * @param report every plugin, in use or not
 * @param backends by id
 * @param drafts by id
 */
public record InstalledPlugins(
        PluginReport report,
        SortedMap<String, LoadedProvider<BackendProvider>> backends,
        SortedMap<String, LoadedProvider<DraftProvider>> drafts) {
    /** Copies the maps. */
    public InstalledPlugins {
        backends = Collections.unmodifiableSortedMap(new TreeMap<>(backends));
        drafts = Collections.unmodifiableSortedMap(new TreeMap<>(drafts));
    }

    /** The backend of that id. */
    public Optional<LoadedProvider<BackendProvider>> backend(String id) {
        return Optional.ofNullable(backends.get(id));
    }

    /** The draft strategy of that id. */
    public Optional<LoadedProvider<DraftProvider>> draft(String id) {
        return Optional.ofNullable(drafts.get(id));
    }
}
