/**
 * Weights on a device: rows of a model file, packed as the kernels read them.
 *
 * <p>{@link dev.tandem.gpu.weights.GpuWeights} loads a model's, {@link dev.tandem.gpu.weights.MatrixForm} says how each
 * type is packed. What does not belong here: which kernel multiplies what.
 */
@NullMarked
package dev.tandem.gpu.weights;

import org.jspecify.annotations.NullMarked;
