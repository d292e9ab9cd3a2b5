package dev.tandem.runtime.plugin;

import java.nio.file.Path;

/**
 * One existing directory that may hold plugins.
 *
 * @param path absolute
 * @param source who named it
 */
public record PluginDirectory(Path path, PluginSource source) {}
