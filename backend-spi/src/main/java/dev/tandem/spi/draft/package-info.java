/**
 * What a draft strategy implements: say whether it fits a model, then guess tokens that the target verifies.
 *
 * <p>The engine owns the truth. A strategy returns tokens with parents; the target's forward pass, sampling, grammar,
 * penalties, stop rules, commit and roll-back, depth control and statistics are the engine's. So a strategy that guesses
 * at random cannot change the output, only waste time.
 *
 * <p>The way through it: {@link dev.tandem.spi.draft.DraftProvider#plan} answers with data before anything loads;
 * {@code open} makes a {@link dev.tandem.spi.draft.DraftModel}, shared by sequences; each sequence has a
 * {@link dev.tandem.spi.draft.DraftSession}, which hears every committed run (also during prefill), proposes when asked
 * and hears the verdict. Weights and devices are reached through {@link dev.tandem.spi.draft.DraftHost} only.
 *
 * <p>Rules, which the kit's contract tests by number:
 *
 * <ul>
 *   <li>DR-01 Output with the drafter equals output without it, token for token.
 *   <li>DR-02 {@code plan} loads nothing, touches no device and does not throw.
 *   <li>DR-03 A proposal's parents come before their children; siblings differ; ids are inside the vocabulary.
 *   <li>DR-04 A proposal holds to the request's depth and number of nodes.
 *   <li>DR-05 {@code truncate} forgets everything after the position, and proposals go on from there.
 *   <li>DR-06 {@code close} may be called twice.
 * </ul>
 */
@Incubating
@NullMarked
package dev.tandem.spi.draft;

import dev.tandem.spi.Incubating;
import org.jspecify.annotations.NullMarked;
