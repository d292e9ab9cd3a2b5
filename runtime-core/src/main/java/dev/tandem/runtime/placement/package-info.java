/**
 * Which node of a graph runs on which backend, and running the pieces in order.
 *
 * <p>{@link dev.tandem.runtime.placement.Placement} is a pure function of what backends say they support; a node that the
 * chosen backend refuses is placed on the reference backend before any weight is loaded, counted and reported.
 * {@link dev.tandem.runtime.placement.PlacedGraph} compiles the pieces and carries values across. What does not belong
 * here: choosing the backend ({@code select}) and the fate of a step ({@code state}, {@code decode}).
 */
@NullMarked
package dev.tandem.runtime.placement;

import org.jspecify.annotations.NullMarked;
