/**
 * Memory of sequences on a device: keys and values in pages, changed by transactions.
 *
 * <p>{@link dev.tandem.gpu.state.GpuState} is the transaction, {@link dev.tandem.gpu.state.KvLayout} says where a slot
 * lies in a page. What does not belong here: arithmetic, which is the kernels'.
 */
@NullMarked
package dev.tandem.gpu.state;

import org.jspecify.annotations.NullMarked;
