package dev.tandem.gpu;

import dev.tandem.gpu.device.Device;
import dev.tandem.gpu.device.Launch;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;

/** Chooses experts, one warp per row. */
final class MoeRouteStage implements Stage {
    private static final int THREADS = 32;

    private final Node node;
    private final Launch launch;

    MoeRouteStage(Device device, Node node, Op.MoeRoute route, long selectionBias) {
        this.node = node;
        int scoring = switch (route.scoring()) {
            case SOFTMAX_THEN_TOP -> 0;
            case TOP_THEN_SOFTMAX -> 1;
            case SIGMOID_THEN_TOP -> 2;
        };
        this.launch = device.kernel("moe_route", 11)
                .set(1, selectionBias)
                .set(4, route.experts())
                .set(5, route.used())
                .set(6, scoring)
                .set(7, route.renormalise() ? 1 : 0)
                .set(8, route.weightScale())
                .set(9, route.groups().map(Op.MoeRoute.Groups::count).orElse(0))
                .set(10, route.groups().map(Op.MoeRoute.Groups::used).orElse(0));
    }

    @Override
    public void run(RunContext context) {
        launch.set(0, context.address(node.inputs().getFirst()))
                .set(2, context.address(node.outputs().get(0)))
                .set(3, context.address(node.outputs().get(1)));
        launch.run(context.rows(node.inputs().getFirst()), 1, THREADS);
    }
}
