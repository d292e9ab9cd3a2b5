/**
 * Prompt look-up decoding: where the last few tokens stood before, the tokens that followed them then are the guess.
 * (Saxena, "Prompt Lookup Decoding", 2023.) It needs no model and no hidden states, and is the template for a strategy
 * of your own.
 *
 * <p>{@link dev.tandem.drafts.ngram.NgramProvider} is the entry; {@link dev.tandem.drafts.ngram.NgramSession} remembers
 * one sequence; {@link dev.tandem.drafts.ngram.NgramIndex} finds earlier places. What does not belong here: whether a
 * guess pays, which the engine decides.
 */
@NullMarked
package dev.tandem.drafts.ngram;

import org.jspecify.annotations.NullMarked;
