package dev.tandem.gpu;

import dev.tandem.gpu.device.Launch;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import org.jspecify.annotations.Nullable;

/** A norm of whole rows and the rounding after it in one kernel, which also does the addition before it where there is one. */
final class NormQuantizeStage implements Stage {
    private static final int WIDEST = 8192;
    private static final int BLOCK = 32;

    private final Workbench bench;
    private final @Nullable Node add;
    private final Value x;
    private final Value y;
    private final Launch launch;

    NormQuantizeStage(Workbench bench, @Nullable Node add, Node node, Op.RmsNorm norm, long gain) {
        this.bench = bench;
        this.add = add;
        this.x = node.inputs().getFirst();
        this.y = node.output();
        this.launch = bench.device()
                .kernel("norm_quantize", 8)
                .set(1, 0L)
                .set(2, gain)
                .set(3, 0L)
                .set(6, y.columns())
                .set(7, norm.epsilon());
    }

    /** Whether the kernel can do a norm. */
    static boolean fits(Op.RmsNorm norm, Value y) {
        return norm.groupSize() == y.columns() && y.columns() % BLOCK == 0 && y.columns() <= WIDEST;
    }

    @Override
    public void run(RunContext context) {
        int rows = context.rows(y);
        if (rows == 0) {
            return;
        }
        if (add == null) {
            launch.set(0, context.address(x));
        } else {
            launch.set(0, context.address(add.inputs().get(0)))
                    .set(1, context.address(add.inputs().get(1)))
                    .set(3, context.address(x));
        }
        launch.set(4, context.address(y)).set(5, bench.activations().filledFor(context, y, rows, y.columns()));
        launch.run(rows, 1, Activations.THREADS);
    }
}
