/**
 * Draft strategies for tests, good and bad, and the contract of all of them.
 *
 * <p>{@link dev.tandem.testkit.draft.DraftContract} is what a plugin's own tests extend. The strategies beside it serve
 * tests of an engine: {@link dev.tandem.testkit.draft.ReplayDrafts} is always right (or wrong as often as wanted),
 * {@link dev.tandem.testkit.draft.RandomDrafts} rarely, {@link dev.tandem.testkit.draft.WrongDrafts} never; and
 * {@link dev.tandem.testkit.draft.LyingDrafts}, {@link dev.tandem.testkit.draft.ThrowingDrafts} and
 * {@link dev.tandem.testkit.draft.HangingDrafts} break the contract in one way each. What does not belong here: an engine.
 */
@NullMarked
package dev.tandem.testkit.draft;

import org.jspecify.annotations.NullMarked;
