package dev.tandem.backend.cpu.vector;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.backend.cpu.kernel.Scratch;

/** A matrix that is multiplied by the scalar twin until it has become the vector twin's. */
final class WarmingMatrix implements Matrix {
    private final long extraBytes;
    private volatile Matrix now;

    /**
     * A matrix.
     *
     * @param scalar the form that needs no preparation
     * @param extraBytes memory of the form that it will have
     */
    WarmingMatrix(Matrix scalar, long extraBytes) {
        this.now = scalar;
        this.extraBytes = extraBytes;
    }

    /** Takes its final form, of the same bits. */
    void become(Matrix vector) {
        now = vector;
    }

    @Override
    public int rows() {
        return now.rows();
    }

    @Override
    public int columns() {
        return now.columns();
    }

    @Override
    public boolean integer() {
        return now.integer();
    }

    @Override
    public int rowGroup() {
        return Lanes.GROUP;
    }

    @Override
    public long extraBytes() {
        return extraBytes;
    }

    @Override
    public void multiply(
            Activations x,
            int first,
            int count,
            float[] y,
            int yOffset,
            int yStride,
            int from,
            int to,
            Scratch scratch) {
        now.multiply(x, first, count, y, yOffset, yStride, from, to, scratch);
    }
}
