package dev.tandem.spi.backend;

import dev.tandem.spi.graph.ValueType;
import java.lang.foreign.MemorySegment;

/** A block of rows on the host or on a device. */
public sealed interface Rows {
    /**
     * Element type and columns.
     *
     * @return the value's type
     */
    ValueType type();

    /**
     * Number of rows.
     *
     * @return at least 0
     */
    int count();

    /**
     * Copies rows to host memory; waits for the device.
     *
     * @param first the first row
     * @param rows how many
     * @param target receives {@code rows * columns} elements of 4 bytes, little-endian
     * @throws dev.tandem.spi.DeviceException where the device failed
     */
    void copyTo(int first, int rows, MemorySegment target);

    /**
     * Rows in host memory.
     *
     * @param type element type and columns
     * @param count number of rows
     * @param data {@code count * columns} elements of 4 bytes, little-endian
     */
    record Host(ValueType type, int count, MemorySegment data) implements Rows {
        @Override
        public void copyTo(int first, int rows, MemorySegment target) {
            long rowBytes = 4L * type.columns();
            MemorySegment.copy(data, first * rowBytes, target, 0, rows * rowBytes);
        }
    }

    /** Rows in the memory of a device, usable by other runs of the backend that made them. */
    non-sealed interface OnDevice extends Rows {
        /**
         * The backend that made the rows.
         *
         * @return the only one that reads them without a copy
         */
        Backend owner();
    }
}
