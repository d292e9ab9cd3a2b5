package dev.tandem.gpu.weights;

import dev.tandem.gpu.device.DeviceBuffer;

/**
 * A matrix on the device, or one per expert.
 *
 * @param memory packed
 * @param form how
 * @param out rows of one matrix
 * @param columns of each row
 */
public record GpuMatrix(DeviceBuffer memory, MatrixForm form, int out, int columns) {}
