/**
 * The {@code tandem} command: parsing, rendering and exit codes; everything else is the engine's.
 *
 * <p>{@link dev.tandem.cli.Main} ends the process and does nothing else. {@link dev.tandem.cli.Tandem} builds the command
 * tree: one class per command, groups of options as mixins ({@link dev.tandem.cli.ModelArguments},
 * {@link dev.tandem.cli.SamplingArguments}, {@link dev.tandem.cli.PromptArguments}). Standard streams and the terminal are
 * reached through {@link dev.tandem.cli.Console} alone, so that tests run commands inside their own process.
 * {@link dev.tandem.cli.ErrorReporter} turns every failure into a message and an {@link dev.tandem.cli.ExitCode}.
 *
 * <p>What belongs here: words, layout, files that the user names. What does not: anything that a program embedding
 * {@link dev.tandem.runtime.Engine} would want too.
 */
@NullMarked
package dev.tandem.cli;

import org.jspecify.annotations.NullMarked;
