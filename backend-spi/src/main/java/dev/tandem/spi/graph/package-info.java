/**
 * The typed op graph: what a model asks of a backend, without any arithmetic.
 *
 * <p>An architecture builds one immutable {@link dev.tandem.spi.graph.Graph} per use of a model. A graph is a list of
 * {@link dev.tandem.spi.graph.Node}s in topological order; each applies one {@link dev.tandem.spi.graph.Op} to
 * {@link dev.tandem.spi.graph.Value}s that earlier nodes defined. Weights are named by
 * {@link dev.tandem.spi.graph.WeightRef}, memory of a sequence by {@link dev.tandem.spi.graph.StateSpec}.
 *
 * <h2>Shapes</h2>
 *
 * A value is {@code f32[rows, columns]}: row-major, the last axis contiguous. Only the number of rows is symbolic:
 *
 * <ul>
 *   <li>{@code STEP}: all rows (tokens) of the step;
 *   <li>{@code SELECTED}: those rows whose results somebody reads, chosen by the batch.
 * </ul>
 *
 * Heads, experts and other inner axes are groups of columns: {@code nHeads * headDim} columns hold the heads one after
 * the other.
 *
 * <h2>Words</h2>
 *
 * <ul>
 *   <li><i>kv</i>: the rotated keys and the values of earlier positions, kept per sequence and layer;
 *   <li><i>rope</i>: rotary position embedding, a rotation of pairs of columns by an angle that grows with position;
 *   <li><i>mtp</i>: multi-token prediction, heads trained to guess tokens after the next;
 *   <li><i>moe</i>: mixture of experts; a router picks few of many feed-forward networks per row;
 *   <li><i>tap</i>: an inner value that a graph also offers as an output, for a drafter.
 * </ul>
 *
 * <h2>Evolution</h2>
 *
 * The op set is closed per version of the contract. A record never gains, loses or reinterprets a component, since an
 * old backend would silently compute the old meaning; a new meaning is a new record. A backend's switch over ops ends in
 * {@code default}, meaning "not supported"; only the reference's has none.
 *
 * <p>The formulas' exact order of operations is the numeric contract ({@code docs/numerics.md}, N1 to N9), whose code is
 * {@link dev.tandem.spi.numeric}. What does not belong here: execution ({@link dev.tandem.spi.backend}).
 */
@Incubating
@NullMarked
package dev.tandem.spi.graph;

import dev.tandem.spi.Incubating;
import org.jspecify.annotations.NullMarked;
