/**
 * One open device: its memory, its stream, its kernels.
 *
 * <p>{@link dev.tandem.gpu.device.Device} turns each status of the driver into a
 * {@link dev.tandem.spi.DeviceException} that names the device and the driver's function. What does not belong here:
 * graphs, weights and sequences.
 */
@NullMarked
package dev.tandem.gpu.device;

import org.jspecify.annotations.NullMarked;
