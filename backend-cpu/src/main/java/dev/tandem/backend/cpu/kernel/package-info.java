/**
 * The seam between the two twins of the CPU backend: what a kernel set computes, on plain arrays.
 *
 * <p>{@link dev.tandem.backend.cpu.kernel.Kernels} is implemented by the scalar twin (one plain loop per op, the
 * reference) and by the vector twin; both give the same bits. What does not belong here: graphs, scheduling and state.
 * The worker pool is here because packing a matrix uses it.
 */
@NullMarked
package dev.tandem.backend.cpu.kernel;

import org.jspecify.annotations.NullMarked;
