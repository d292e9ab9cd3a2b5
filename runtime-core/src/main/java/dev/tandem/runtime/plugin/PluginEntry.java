package dev.tandem.runtime.plugin;

import java.util.Optional;

/**
 * One line of a {@link PluginReport}: a provider, or a jar that never got as far as having one.
 *
 * @param origin where it comes from
 * @param kind what it offers; empty where that could not be found out
 * @param id its name; empty where it was never asked for it
 * @param state what became of it
 * @param problem why it is not in use; present unless it is {@link PluginState#LOADED}
 */
public record PluginEntry(
        PluginOrigin origin,
        Optional<ProviderKind> kind,
        Optional<String> id,
        PluginState state,
        Optional<PluginProblem> problem) {
    /** Checks that exactly the entries in use have no problem. */
    public PluginEntry {
        if ((state == PluginState.LOADED) == problem.isPresent()) {
            throw new IllegalArgumentException(state + " with problem " + problem);
        }
    }

    static PluginEntry loaded(PluginOrigin origin, ProviderKind kind, String id) {
        return new PluginEntry(origin, Optional.of(kind), Optional.of(id), PluginState.LOADED, Optional.empty());
    }

    /** Whether somebody should look after it: an overridden plugin is as its owner wanted. */
    public boolean isBroken() {
        return state == PluginState.REFUSED || state == PluginState.FAILED;
    }
}
