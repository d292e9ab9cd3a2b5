/**
 * Guessing ahead: a draft strategy proposes tokens, the target verifies them in one pass, and what its own sampler
 * confirms is kept.
 *
 * <p>{@link dev.tandem.runtime.speculative.DraftSelector} asks the installed strategies for plans and checks them;
 * {@link dev.tandem.runtime.speculative.LoadedDraft} is one that is loaded;
 * {@link dev.tandem.runtime.speculative.SpeculativeStepper} is the round: propose, verify, walk, commit. A strategy is
 * foreign code and is called on a thread of its own with a deadline; one that fails is named and parked, and the
 * generation goes on without it. What does not belong here: which token is chosen ({@code sampling}) and when a
 * generation ends ({@code decode.Generation}), which are the same with a strategy and without.
 */
@NullMarked
package dev.tandem.runtime.speculative;

import org.jspecify.annotations.NullMarked;
