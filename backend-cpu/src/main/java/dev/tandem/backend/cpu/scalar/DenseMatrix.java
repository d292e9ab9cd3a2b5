package dev.tandem.backend.cpu.scalar;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.backend.cpu.kernel.Scratch;
import dev.tandem.backend.cpu.kernel.WeightData;

/** The REFERENCE formula: each row is dequantised once per call and multiplied with every row of activations. */
public final class DenseMatrix implements Matrix {
    /** Dot product by the f32 rule of N2. */
    @FunctionalInterface
    public interface Dot {
        /** N2(a, b) over n elements. */
        float of(float[] a, int ao, float[] b, int bo, int n);
    }

    private final WeightData weight;
    private final Dot dot;

    /**
     * A matrix over mapped rows.
     *
     * @param weight the rows
     * @param dot product of a kernel set
     */
    public DenseMatrix(WeightData weight, Dot dot) {
        this.weight = weight;
        this.dot = dot;
    }

    @Override
    public int rows() {
        return weight.rows();
    }

    @Override
    public int columns() {
        return weight.columns();
    }

    @Override
    public boolean integer() {
        return false;
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
        int n = columns();
        float[] row = scratch.row(n);
        for (int o = from; o < to; o++) {
            weight.dequantize(o, row, 0);
            for (int r = 0; r < count; r++) {
                y[yOffset + r * yStride + o] = dot.of(row, 0, x.x(), (first + r) * n, n);
            }
        }
    }
}
