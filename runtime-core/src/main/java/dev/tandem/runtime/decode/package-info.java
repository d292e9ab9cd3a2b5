/**
 * The token loop: prompt in pieces, then one token after another until something ends it.
 *
 * <p>{@link dev.tandem.runtime.decode.Target} runs a model's forward graph over sequences;
 * {@link dev.tandem.runtime.decode.TokenLoop} drives it for one request. What does not belong here: how a token is chosen
 * ({@code sampling}), text and bytes ({@code tokenizer}), and guessing ahead ({@code speculative}).
 */
@NullMarked
package dev.tandem.runtime.decode;

import org.jspecify.annotations.NullMarked;
