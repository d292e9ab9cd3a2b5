package dev.tandem.backend.cpu.kernel;

/** A weight matrix in the form that its kernel set multiplies. Safe for use by several threads. */
public interface Matrix {
    /**
     * Output columns.
     *
     * @return rows of the weight
     */
    int rows();

    /**
     * Input columns.
     *
     * @return columns of the weight
     */
    int columns();

    /**
     * Whether {@link #multiply} reads quantised activations.
     *
     * @return true for integer dots of FAST
     */
    boolean integer();

    /**
     * Rows that are computed together; ranges given to {@link #multiply} start at multiples of it.
     *
     * @return 1 or more
     */
    default int rowGroup() {
        return 1;
    }

    /**
     * Memory beyond the mapped file.
     *
     * @return bytes
     */
    default long extraBytes() {
        return 0;
    }

    /**
     * y[r][o] = N2(W[o], x[first + r]) for {@code 0 <= r < count} and {@code from <= o < to}; y[r] starts at
     * {@code yOffset + r * yStride}.
     *
     * @param x activations
     * @param first first row of x, a multiple of {@link Activations#TILE} where there are several
     * @param count rows of x
     * @param y receives the products
     * @param yOffset index of y[0][0]
     * @param yStride distance of two rows of y
     * @param from first output, a multiple of {@link #rowGroup()}
     * @param to end of the outputs
     * @param scratch of the calling worker
     */
    void multiply(
            Activations x,
            int first,
            int count,
            float[] y,
            int yOffset,
            int yStride,
            int from,
            int to,
            Scratch scratch);
}
