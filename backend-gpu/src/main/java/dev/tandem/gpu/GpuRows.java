package dev.tandem.gpu;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.graph.ValueType;
import java.lang.foreign.MemorySegment;

/**
 * Rows on a device.
 *
 * @param backend that made them
 * @param type element type and columns
 * @param count number of rows
 * @param address of the first
 */
record GpuRows(GpuBackend backend, ValueType type, int count, long address) implements Rows.OnDevice {
    @Override
    public Backend owner() {
        return backend;
    }

    @Override
    public void copyTo(int first, int rows, MemorySegment target) {
        long rowBytes = 4L * type.columns();
        backend.gpu().use();
        backend.transfers().download(target.asSlice(0, rows * rowBytes), address + first * rowBytes);
    }
}
