/**
 * The seam to a GPU driver: opening its library, binding its functions, calling them.
 *
 * <p>{@link dev.tandem.gpu.ffm.DriverFunction} names what is called, {@link dev.tandem.gpu.ffm.DriverTable} says what a
 * vendor calls it, {@link dev.tandem.gpu.ffm.Driver} is an opened library. Both vendors' functions have the same shapes,
 * so one class serves both. What does not belong here: memory, errors for people, anything about models.
 */
@NullMarked
package dev.tandem.gpu.ffm;

import org.jspecify.annotations.NullMarked;
