package dev.tandem.backend.cpu.vector;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.backend.cpu.kernel.Scratch;

/** A matrix that is multiplied by the scalar twin until its vector kernels are compiled. */
record WarmingMatrix(WarmUp.Gate gate, Matrix vector, Matrix scalar) implements Matrix {
    @Override
    public int rows() {
        return vector.rows();
    }

    @Override
    public int columns() {
        return vector.columns();
    }

    @Override
    public boolean integer() {
        return vector.integer();
    }

    @Override
    public int rowGroup() {
        return vector.rowGroup();
    }

    @Override
    public long extraBytes() {
        return vector.extraBytes();
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
        Matrix matrix = gate.open() ? vector : scalar;
        matrix.multiply(x, first, count, y, yOffset, yStride, from, to, scratch);
    }
}
