/**
 * What a backend implements: open a device, load weights, compile graphs, run batches, keep the state of sequences.
 *
 * <p>The engine's way through it, for one model and one sequence:
 *
 * <pre>{@code
 * Backend backend = provider.open(device);
 * backend.supports(node, precision);                 // for every node, before any weight is loaded
 * WeightSet weights = backend.load(request);
 * Executable forward = backend.compile(graph, options, List.of(weights));
 * SequenceState state = backend.newState(graph.states(), stateOptions);
 *
 * state.begin(StepKind.DECODE, new int[] {-1});      // one row after the committed ones
 * Step step = forward.run(batch);                    // changes nothing that is committed
 * Rows logits = step.output("logits");
 * state.commit(new int[] {0});                       // or state.rollback()
 * }</pre>
 *
 * <p>Rules, which the kit's contract tests by number:
 *
 * <ul>
 *   <li>BE-01 {@link dev.tandem.spi.backend.BackendProvider#probe()} is cheap, repeatable and does not throw.
 *   <li>BE-02 {@code supports} answers from types and shapes alone; what it accepts, {@code compile} compiles, and
 *       what it refuses fails at the first run at the latest.
 *   <li>BE-03 Finite results equal the numeric contract's as bits, at any row count and in any batch.
 *   <li>BE-04 A run changes no committed state; {@code rollback} leaves the state's bits as before {@code begin}.
 *   <li>BE-05 After {@code commit(path)} the state equals that of feeding the committed tokens one by one.
 *   <li>BE-06 Weights are found by (model, tensor), never by tensor name alone.
 *   <li>BE-07 {@code close} may be called twice, does not block and does not throw.
 *   <li>BE-08 A failed call leaves the state's committed rows intact unless the exception says that the device is lost.
 *   <li>BE-09 The bytes of {@code exportTo} do not depend on the device.
 *   <li>BE-10 A call that its javadoc forbids throws the exception named there and changes nothing; a step answers the
 *       outputs that its batch asked for and no other.
 * </ul>
 *
 * <p>Threading: the engine calls a backend, and everything that it made, from one thread at a time; different backends
 * run concurrently. What does not belong here: which node runs where, retries, and the fate of a step, which are the
 * engine's.
 */
@Incubating
@NullMarked
package dev.tandem.spi.backend;

import dev.tandem.spi.Incubating;
import org.jspecify.annotations.NullMarked;
