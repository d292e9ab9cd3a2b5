package dev.tandem.runtime.plugin;

/**
 * A provider that is in use.
 *
 * @param id its name, unique among providers of its kind
 * @param provider the plugin's object
 * @param origin where it comes from
 * @param <P> the service interface
 */
public record LoadedProvider<P>(String id, P provider, PluginOrigin origin) {}
