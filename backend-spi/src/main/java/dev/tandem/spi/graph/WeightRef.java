package dev.tandem.spi.graph;

import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.ModelId;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Names a weight, or some rows of one.
 *
 * <p>The model id lets one graph use two files: a drafter's graph may use its target's embedding and head. Row slices
 * serve tensors that fuse several matrices (query, key and value in one; gate and up in one; query and gate interleaved
 * per head). Blocks of quantised types run along columns, so any choice of rows is whole blocks.
 *
 * @param model the file
 * @param tensor the tensor's name in it
 * @param type element or block type
 * @param shape the whole tensor's, slowest dimension first
 * @param slice the rows meant; empty for all
 */
public record WeightRef(ModelId model, String tensor, DType type, List<Long> shape, Optional<RowSlice> slice) {
    /** Copies the shape and checks that the slice lies inside it. */
    public WeightRef {
        shape = List.copyOf(shape);
        if (shape.isEmpty()) {
            throw new IllegalArgumentException(tensor + ": a weight has at least one dimension");
        }
        if (slice.isPresent()) {
            RowSlice s = slice.get();
            if (shape.size() != 2 || s.lastRow() >= shape.getFirst()) {
                throw new IllegalArgumentException(tensor + ": rows " + s + " of shape " + shape);
            }
        }
    }

    /**
     * Rows {@code first + i * stride + j} for {@code i < count}, {@code j < run}.
     *
     * @param first the first row
     * @param run consecutive rows in each run
     * @param stride distance between the starts of two runs, at least {@code run}
     * @param count number of runs
     */
    public record RowSlice(long first, long run, long stride, long count) {
        /** Checks that runs are not empty and do not overlap. */
        public RowSlice {
            if (first < 0 || run < 1 || count < 1 || stride < run) {
                throw new IllegalArgumentException(
                        "slice first=" + first + " run=" + run + " stride=" + stride + " count=" + count);
            }
        }

        /**
         * Consecutive rows.
         *
         * @param first the first row
         * @param rows how many
         * @return one run
         */
        public static RowSlice of(long first, long rows) {
            return new RowSlice(first, rows, rows, 1);
        }

        /**
         * Number of rows meant.
         *
         * @return run times count
         */
        public long rows() {
            return Math.multiplyExact(run, count);
        }

        /**
         * The tensor's row behind a row of the slice.
         *
         * @param row index into the slice
         * @return index into the tensor
         */
        public long rowOf(long row) {
            return first + row / run * stride + row % run;
        }

        long lastRow() {
            return Math.addExact(first, Math.addExact(Math.multiplyExact(count - 1, stride), run - 1));
        }
    }

    /**
     * A whole tensor.
     *
     * @param model the file
     * @param tensor one of its tensors
     * @return a reference to all rows
     */
    public static WeightRef of(ModelView model, TensorInfo tensor) {
        return new WeightRef(model.id(), tensor.name(), tensor.type(), tensor.shape(), Optional.empty());
    }

    /**
     * Some rows of this weight.
     *
     * @param rows which
     * @return a reference to them
     */
    public WeightRef rows(RowSlice rows) {
        return new WeightRef(model, tensor, type, shape, Optional.of(rows));
    }

    /**
     * Elements of a row.
     *
     * @return the last dimension
     */
    public int columns() {
        return Math.toIntExact(shape.getLast());
    }

    /**
     * Rows meant: of the slice, or all but the last dimension multiplied.
     *
     * @return at least 1
     */
    public long rowCount() {
        if (slice.isPresent()) {
            return slice.get().rows();
        }
        long rows = 1;
        for (int i = 0; i < shape.size() - 1; i++) {
            rows = Math.multiplyExact(rows, shape.get(i));
        }
        return rows;
    }

    @Override
    public String toString() {
        String whole = tensor + " " + type.name().toLowerCase(Locale.ROOT) + shape;
        return slice.map(s ->
                        whole + " rows " + s.first + "+" + s.run + (s.count > 1 ? "/" + s.stride + "x" + s.count : ""))
                .orElse(whole);
    }
}
