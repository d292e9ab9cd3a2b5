package dev.tandem.gpu;

import dev.tandem.gpu.device.Launch;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;

/** A gated unit and the rounding after it in one kernel. */
final class GateQuantizeStage implements Stage {
    private final Workbench bench;
    private final Node node;
    private final Launch launch;

    GateQuantizeStage(Workbench bench, Node node, Op.Gate gate) {
        this.bench = bench;
        this.node = node;
        this.launch = bench.device()
                .kernel("gate_quantize", 7)
                .set(5, node.output().columns())
                .set(6, ElementStages.number(gate.activation()));
    }

    /** Whether the kernel can do a gate. */
    static boolean fits(Node node) {
        int columns = node.output().columns();
        return columns % 32 == 0 && node.inputs().getFirst().columns() == columns;
    }

    @Override
    public void run(RunContext context) {
        Value y = node.output();
        int rows = context.rows(y);
        if (rows == 0) {
            return;
        }
        launch.set(0, context.address(node.inputs().get(0)))
                .set(1, context.address(node.inputs().get(1)))
                .set(2, context.address(y))
                .set(3, bench.activations().filledFor(context, y, rows, y.columns()))
                .set(4, rows);
        launch.run(Activations.launchedBlocks(rows, y.columns()), 1, Activations.THREADS);
    }
}
