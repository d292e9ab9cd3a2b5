/**
 * What a backend has to do to be one, as tests.
 *
 * <p>Extend {@link dev.tandem.testkit.contract.BackendContract} and implement one method. Its test methods are named
 * after the rules of {@link dev.tandem.spi.backend}: {@code required_be05_...} tests BE-05. The classes beside it hold
 * the checks, one family of rules each. Tolerances belong to ops and types, never to a backend. What does not belong
 * here: how fast anything is, and what only one backend promises.
 */
@NullMarked
package dev.tandem.testkit.contract;

import org.jspecify.annotations.NullMarked;
