/**
 * The CPU backend: the reference for every other, and the automatic fallback.
 *
 * <p>{@link dev.tandem.backend.cpu.CpuExecutable} interprets a graph stage by stage; the arithmetic is in the kernel sets
 * {@code scalar} and {@code vector}, chosen when the device is opened. Sequences live in {@code state}. What does not
 * belong here: reading files, sampling, and any decision about sequences.
 */
@NullMarked
package dev.tandem.backend.cpu;

import org.jspecify.annotations.NullMarked;
