package dev.tandem.gpu;

import dev.tandem.gpu.device.Launch;
import dev.tandem.gpu.weights.GpuMatrix;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import java.util.HashMap;
import java.util.Map;

/** A linear layer, or one per chosen expert. Which kernel runs depends on the number of rows; the bits do not. */
final class MatMulStage implements Stage {
    private static final int ARGUMENTS = 10;
    private static final int SEGMENT_COLUMNS = 256;
    private static final int TILE = 16;
    private static final int MOST_WARPS = 8;
    private static final int WARP = 32;
    private static final int FLOAT_TILE = 8;
    private static final int FLOAT_THREADS = 256;
    private static final int MANY = 64;
    private static final int MANY_THREADS = 128;

    private final Workbench bench;
    private final Value x;
    private final Value y;
    private final GpuMatrix matrix;
    private final long bias;
    /** Ids of the experts; for a linear layer its input, which is not read as ids. */
    private final Value ids;

    private final boolean experts;
    private final Map<Integer, Launch> kernels = new HashMap<>();

    MatMulStage(Workbench bench, Node node, GpuMatrix matrix, long bias) {
        this.bench = bench;
        this.x = node.inputs().getFirst();
        this.y = node.output();
        this.matrix = matrix;
        this.bias = bias;
        this.experts = node.op() instanceof Op.MoeMatMul;
        this.ids = node.inputs().getLast();
    }

    @Override
    public void run(RunContext context) {
        int used = experts ? ids.columns() : 1;
        int pieces = x.columns() / matrix.columns(); // 1, or one per rank
        boolean ownPieces = experts && pieces == used && used > 1;
        int rows = context.rows(x);
        int tasks = rows * used;
        if (rows == 0) {
            return;
        }
        boolean integer = matrix.form().integer();
        long activations =
                integer ? bench.activations().of(context, x, rows * pieces, matrix.columns()) : context.address(x);
        int variant = experts ? 1 : variant(rows);
        Launch launch = kernels.computeIfAbsent(variant, this::kernel)
                .set(1, activations)
                .set(3, context.address(y))
                .set(4, experts ? context.address(ids) : 0L)
                .set(7, tasks)
                .set(8, used)
                .set(9, ownPieces ? 1 : 0);
        launch(launch, variant, tasks, integer);
    }

    /** Rows that share the loads of the matrix. */
    private int variant(int rows) {
        if (rows == 1) {
            return 1;
        }
        if (rows <= 8 || !matrix.form().manyRows()) {
            return 8;
        }
        if (rows <= 16) {
            return 16;
        }
        return rows <= MANY ? 32 : MANY;
    }

    private Launch kernel(int variant) {
        return bench.device()
                .kernel("matmul_" + matrix.form().kernelName() + "_" + variant, ARGUMENTS)
                .set(0, matrix.memory().address())
                .set(2, bias)
                .set(5, matrix.out())
                .set(6, matrix.columns());
    }

    private void launch(Launch launch, int variant, int rows, boolean integer) {
        if (!integer) {
            int groups = variant == 1 ? rows : Launch.blocks(rows, FLOAT_TILE);
            launch.run(Launch.blocks(matrix.out(), FLOAT_TILE), groups, FLOAT_THREADS);
        } else if (variant == MANY) {
            launch.run(Launch.blocks(matrix.out(), MANY), Launch.blocks(rows, MANY), MANY_THREADS);
        } else {
            int segments = Launch.blocks(matrix.columns(), SEGMENT_COLUMNS);
            launch.run(
                    Launch.blocks(matrix.out(), TILE),
                    Launch.blocks(rows, variant),
                    WARP * Math.min(segments, MOST_WARPS));
        }
    }
}
