package dev.tandem.spi.model;

import java.util.List;

/**
 * Name, type and shape of one tensor.
 *
 * @param name as in the file
 * @param type element or block type
 * @param shape slowest dimension first (rows, ..., columns), so the last axis is contiguous
 * @param bytes size of its data
 */
public record TensorInfo(String name, DType type, List<Long> shape, long bytes) {
    /** Copies the shape. */
    public TensorInfo {
        shape = List.copyOf(shape);
    }

    /**
     * Elements of the last axis.
     *
     * @return 1 for a scalar
     */
    public long columns() {
        return shape.isEmpty() ? 1 : shape.getLast();
    }

    /**
     * Number of rows: the product of all axes but the last.
     *
     * @return at least 1 unless an axis is 0
     */
    public long rows() {
        long rows = 1;
        for (int i = 0; i < shape.size() - 1; i++) {
            rows *= shape.get(i);
        }
        return rows;
    }
}
