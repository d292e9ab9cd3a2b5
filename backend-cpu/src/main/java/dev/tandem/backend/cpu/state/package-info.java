/**
 * Memory of sequences on the CPU: paged keys and values, convolution windows, delta-rule matrices.
 *
 * <p>{@link dev.tandem.backend.cpu.state.CpuState} is the transaction; each slot keeps its open rows apart from the
 * committed ones until the step ends. What does not belong here: arithmetic, which is the kernels'.
 */
@NullMarked
package dev.tandem.backend.cpu.state;

import org.jspecify.annotations.NullMarked;
