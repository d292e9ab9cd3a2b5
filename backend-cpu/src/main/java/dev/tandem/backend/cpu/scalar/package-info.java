/**
 * The scalar twin: one plain loop per op, in the order of the numeric contract. It is the reference for every other
 * kernel set and runs where {@code jdk.incubator.vector} is not there.
 *
 * <p>What does not belong here: anything done for speed. Look at {@code dev.tandem.backend.cpu.vector} for that.
 */
@NullMarked
package dev.tandem.backend.cpu.scalar;

import org.jspecify.annotations.NullMarked;
