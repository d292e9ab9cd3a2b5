/**
 * Choosing a backend: a pure function from reports and a request to a choice and its explanation.
 *
 * <p>{@link dev.tandem.runtime.select.BackendSelector} ranks by facts alone: the user's choice, what can run, the kind of
 * device, its free memory, the id. No plugin states a priority, because priorities become an arms race. An explicit choice
 * that cannot run is an error; only {@code auto} falls back, and {@link dev.tandem.runtime.select.BackendChoice#line()}
 * says so.
 *
 * <p>What belongs here: ranking, names and aliases, and the words that explain a choice. What does not: probing
 * ({@link dev.tandem.runtime.plugin.BackendProbe}) and opening devices. Nothing here reads the environment, a file or a
 * clock.
 */
@NullMarked
package dev.tandem.runtime.select;

import org.jspecify.annotations.NullMarked;
