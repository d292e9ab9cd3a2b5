/**
 * The numeric contract as code: what makes a token stream independent of device, threads, batch and drafter.
 *
 * <p>Every result here is a function of its arguments' bits alone. {@link dev.tandem.spi.numeric.Functions} holds the
 * elementary functions, {@link dev.tandem.spi.numeric.Sums} the order of summation and of ranking,
 * {@link dev.tandem.spi.numeric.Dequantizer} and {@link dev.tandem.spi.numeric.BlockQuantizer} the two sides of a
 * quantised product, {@link dev.tandem.spi.numeric.RopeTable} rotary angles, {@link dev.tandem.spi.numeric.Half} the
 * 16-bit formats and {@link dev.tandem.spi.numeric.CounterRandom} random numbers. A kernel in another language or in
 * vectors repeats these operations one by one and then has the same bits; {@code docs/numerics.md} is the same contract
 * as text, with the scale expression of each quantised type.
 *
 * <p>What belongs here: arithmetic that more than one module must agree on to the last bit. What does not: speed (a
 * backend has its own twin), ops over tensors (a backend's), {@link java.lang.Math} functions other than fma, sqrt and
 * exact comparisons. Look next at {@link dev.tandem.spi.graph}, whose ops name these rules.
 */
@Incubating
@NullMarked
package dev.tandem.spi.numeric;

import dev.tandem.spi.Incubating;
import org.jspecify.annotations.NullMarked;
