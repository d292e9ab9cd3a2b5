/**
 * From a row of logits to a token, and from a stream of text to its end.
 *
 * <p>{@link dev.tandem.runtime.sampling.Sampler} runs a chain of stages over the candidates of one row; its class
 * comment states the default order and says where every formula stands. {@link dev.tandem.runtime.sampling.SamplingOptions} holds what a caller
 * may set and is the one place that validates it. {@link dev.tandem.runtime.sampling.TokenHistory} is what the
 * penalties look at, so that a row of a speculated path is sampled as if the path were already committed.
 * {@link dev.tandem.runtime.sampling.LogProbabilities} reads a row without choosing, and
 * {@link dev.tandem.runtime.sampling.StopStrings} ends a text.
 *
 * <p>What belongs here: pure functions of logits, history, options and position, on the host, by the numeric contract's
 * functions. What does not: running the model, counting tokens, end tokens (the token loop's), and decoding bytes to
 * text (the tokenizer's). Look next at {@link dev.tandem.spi.numeric}, whose functions, ranking and random numbers are
 * used.
 */
@NullMarked
package dev.tandem.runtime.sampling;

import org.jspecify.annotations.NullMarked;
