/**
 * Sequences: the memory of one stream of tokens across all backends that hold a part of it.
 *
 * <p>The engine decides, backends store: {@link dev.tandem.runtime.state.Sequence} applies every transaction to all of
 * them, so their lengths never differ. What does not belong here: tokens, text and sampling.
 */
@NullMarked
package dev.tandem.runtime.state;

import org.jspecify.annotations.NullMarked;
