/**
 * Finding, vetting and loading plugins: directories go in, a {@link dev.tandem.runtime.plugin.PluginReport} and the
 * loaded providers come out.
 *
 * <p>The way of a plugin: {@link dev.tandem.runtime.plugin.PluginDirectories} says where to look,
 * {@code DirectoryScan} lists the entries, {@code JarVetting} reads their manifests before any class loads,
 * {@code ProviderLoading} creates providers inside a {@code PluginClassLoader}, and {@code IdRules} settles who owns an
 * id. {@link dev.tandem.runtime.plugin.PluginFinder} runs these steps; {@link dev.tandem.runtime.plugin.BackendProbe}
 * asks a loaded backend whether it can run.
 *
 * <p>What belongs here: everything up to "this provider exists, and answers so to a probe". What does not: which backend
 * to use ({@link dev.tandem.runtime.select}), and how a report looks to people (the command line formats it). No plugin is
 * known here by its classes, and a bad plugin is a line in the report, never an exception.
 */
@NullMarked
package dev.tandem.runtime.plugin;

import org.jspecify.annotations.NullMarked;
