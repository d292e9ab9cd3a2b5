package dev.tandem.gpu;

import dev.tandem.gpu.device.Launch;
import dev.tandem.gpu.weights.GpuMatrix;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** A linear layer, or one per chosen expert. Which kernel runs depends on the number of rows; the bits do not. */
final class MatMulStage implements Stage {
    private static final int ARGUMENTS = 11;
    private static final int SEGMENT_COLUMNS = 256;
    private static final int TILE = 16;
    private static final int MOST_WARPS = 16;
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
        boolean integer = matrix.form().layout().integer();
        long activations =
                integer ? bench.activations().of(context, x, rows * pieces, matrix.columns()) : context.address(x);
        int variant = experts ? 1 : variant(rows, integer);
        Launch launch = kernels.computeIfAbsent(variant, this::kernel)
                .set(1, activations)
                .set(3, context.address(y))
                .set(4, experts ? context.address(ids) : 0L)
                .set(7, tasks)
                .set(9, used)
                .set(10, ownPieces ? 1 : 0);
        launch(launch, variant, tasks, integer);
    }

    private static int variant(int rows, boolean integer) {
        if (rows == 1) {
            return 1;
        }
        if (!integer || rows <= 8) {
            return 8;
        }
        return rows <= TILE ? TILE : MANY;
    }

    private Launch kernel(int variant) {
        String form = matrix.form().layout().name().toLowerCase(Locale.ROOT);
        return bench.device()
                .kernel("matmul_" + form + "_" + variant, ARGUMENTS)
                .set(0, matrix.memory().address())
                .set(2, bias)
                .set(5, matrix.out())
                .set(6, matrix.columns())
                .set(8, matrix.form().flags());
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
                    Launch.blocks(matrix.out(), TILE), variant == 1 ? rows : 1, WARP * Math.min(segments, MOST_WARPS));
        }
    }
}
