package dev.tandem.backend.cpu.vector;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.backend.cpu.kernel.Scratch;
import dev.tandem.backend.cpu.kernel.WeightData;
import dev.tandem.backend.cpu.kernel.WorkerPool;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.ModelId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * Small work for {@link WarmUp}: what a decode step and a prompt of a few rows call. It takes every turn that real work
 * takes, more groups than one and numbers that are not 0 included: a turn that the JIT has not seen throws its code away.
 */
final class WarmUpWork {
    private static final int COLUMNS = 768;
    private static final int ROWS = 5;
    private static final int OUTPUTS = 2 * Lanes.GROUP + 3;

    private WarmUpWork() {}

    /** Multiplies one row and several rows of activations. */
    static Runnable matrix(Kernels kernels, DType type) {
        byte[] bytes = new byte[Math.toIntExact(OUTPUTS * type.rowBytes(COLUMNS))];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 37 & 0x3f); // any two make a finite scale
        }
        WeightRef weight = new WeightRef(
                new ModelId(0, "warm-up"), "pattern", type, List.of((long) OUTPUTS, (long) COLUMNS), Optional.empty());
        Activations x = new Activations(COLUMNS);
        float[] values = new float[ROWS * COLUMNS];
        for (int i = 0; i < values.length; i++) {
            values[i] = i % 11 - 5;
        }
        x.of(values);
        x.reserve(ROWS);
        for (int row = 0; row < ROWS; row++) {
            kernels.quantize(x, row);
        }
        float[] y = new float[ROWS * OUTPUTS];
        Scratch scratch = new Scratch();
        try (WorkerPool pool = new WorkerPool(1)) {
            WeightData data = WeightData.of(weight, MemorySegment.ofArray(bytes));
            Matrix matrix = kernels.matrix(data, true, pool, Arena.global());
            return () -> {
                for (int row = 0; row < ROWS; row++) {
                    matrix.multiply(x, row, 1, y, row * OUTPUTS, OUTPUTS, 0, OUTPUTS, scratch);
                }
                matrix.multiply(x, 0, ROWS, y, 0, OUTPUTS, 0, Lanes.GROUP, scratch);
            };
        }
    }

    /** Calls the element-wise ops and attention. */
    static Runnable elements(Kernels kernels) {
        int n = Kernels.CHUNK;
        float[] a = new float[n];
        float[] b = new float[n];
        float[] y = new float[n];
        float[] keys = new float[n * n];
        Activations x = new Activations(n);
        Scratch scratch = new Scratch();
        x.of(a);
        x.reserve(1);
        return () -> {
            kernels.rmsNorm(a, 0, b, n, 1e-6f, y, 0);
            kernels.quantize(x, 0);
            kernels.rope(y, 0, false, a, 0, n / 2);
            kernels.scores(a, 0, keys, 0, n, 0, n, y, 0);
            kernels.scoresOfTwo(a, 0, 0, keys, 0, n, 0, n, scratch.scores(), scratch);
            kernels.scale(y, 0, 0.1f, y, 0, n);
            y[0] = kernels.softmaxWeights(y, 0, n, 0f);
            kernels.weightedSum(y, 0, n, keys, 0, n, b, 0);
            kernels.join(y, 0, 0.5f, b, 0, 0.5f, n);
            kernels.add(a, 0, b, 0, y, 0, n);
            kernels.multiply(a, 0, b, 0, y, 0, n);
            kernels.accumulate(0.5f, a, 0, y, 0, n);
            kernels.gate(Activation.SILU, a, 0, b, 0, y, 0, n);
        };
    }
}
