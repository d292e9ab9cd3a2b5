package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.spi.graph.Value;
import org.jspecify.annotations.Nullable;

/** A linear layer, divided by output columns. */
final class MatMulStage implements Stage {
    /** Products below which a range is not worth a task. */
    private static final int SMALLEST_RANGE = 65_536;

    private final Value input;
    private final Buffer x;
    private final Buffer y;
    private final Matrix matrix;
    private final float @Nullable [] bias;

    MatMulStage(Value input, Buffer x, Buffer y, Matrix matrix, float @Nullable [] bias) {
        this.input = input;
        this.x = x;
        this.y = y;
        this.matrix = matrix;
        this.bias = bias;
    }

    @Override
    public void run(StepContext context) {
        int rows = context.rows(input);
        if (rows == 0) {
            return;
        }
        Activations activations = matrix.integer() ? x.quantized(context, input, rows) : x.plain();
        int out = matrix.rows();
        int smallest = Math.max(1, SMALLEST_RANGE / matrix.columns() / rows);
        context.pool().ranges(out, matrix.rowGroup(), smallest, (from, to, scratch) -> {
            matrix.multiply(activations, 0, rows, y.floats(), 0, out, from, to, scratch);
            addBias(rows, out, from, to);
        });
    }

    private void addBias(int rows, int out, int from, int to) {
        if (bias != null) {
            for (int row = 0; row < rows; row++) {
                for (int o = from; o < to; o++) {
                    y.floats()[row * out + o] += bias[o];
                }
            }
        }
    }
}
