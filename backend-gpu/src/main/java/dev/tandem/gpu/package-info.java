/**
 * The host side of the GPU backends: one for CUDA and ROCm, which differ by a {@link dev.tandem.gpu.ffm.DriverTable} and
 * an image of the same kernels.
 *
 * <p>A library, not a plugin: each vendor's plugin jar carries a copy. Look at {@link dev.tandem.gpu.GpuProvider} first,
 * which a plugin extends. Everything a kernel is launched with is prepared when a graph is compiled; a step fills in
 * rows and places.
 *
 * <p>What does not belong here: vendors' names (the plugins'), native calls ({@link dev.tandem.gpu.ffm}), arithmetic
 * (the kernels in {@code src/main/gpu}).
 */
@NullMarked
package dev.tandem.gpu;

import org.jspecify.annotations.NullMarked;
