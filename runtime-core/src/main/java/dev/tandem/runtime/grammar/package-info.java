/**
 * Grammars that a generated text must obey, and the tokens that they allow.
 *
 * <p>{@link dev.tandem.runtime.grammar.Grammar} is made from GBNF text or from a JSON schema;
 * {@link dev.tandem.runtime.grammar.TokenGrammar} joins it with a vocabulary, and
 * {@link dev.tandem.runtime.grammar.TokenMask} follows one generation. Rules become a network of byte ranges and calls
 * ({@code Network}), which {@code Recogniser} runs as a pushdown automaton whose states are remembered.
 *
 * <p>What belongs here: which bytes may follow. What does not: choosing among them (the sampler's), ending a generation
 * (the token loop's) and reading files. Grammars and schemas are hostile input: their size, nesting and ambiguity are
 * bounded, and left recursion is refused.
 */
@NullMarked
package dev.tandem.runtime.grammar;

import org.jspecify.annotations.NullMarked;
