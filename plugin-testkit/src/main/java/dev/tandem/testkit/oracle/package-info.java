/**
 * A second complete backend that judges all others: each op in float64, rounded to f32 at its edges.
 *
 * <p>It is slow and tiny on purpose. Formulas are written as the ops' javadoc states them, without the orders of the
 * numeric contract, and storage is a list of rows per slot; so that neither shares a mistake with a backend under test.
 * The only code in common is that of {@link dev.tandem.spi.numeric} that reads weight blocks, rounds activations to int8
 * and scales rope frequencies. What does not belong here: anything done for speed.
 */
@NullMarked
package dev.tandem.testkit.oracle;

import org.jspecify.annotations.NullMarked;
