package dev.tandem.gpu;

import dev.tandem.gpu.device.Device;
import dev.tandem.gpu.device.Launch;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;

/** Norms over groups of columns: a block of threads each. */
final class NormStages {
    private static final int MOST_THREADS = 256;
    private static final int WARP = 32;

    private final Device device;
    private final Node node;

    NormStages(Device device, Node node) {
        this.device = device;
        this.node = node;
    }

    Stage rmsNorm(Op.RmsNorm norm, long gain) {
        Launch launch = device.kernel("rms_norm", 5)
                .set(1, gain)
                .set(3, norm.groupSize())
                .set(4, norm.epsilon());
        return stage(launch, 2, norm.groupSize());
    }

    Stage l2Norm(Op.L2Norm norm) {
        Launch launch = device.kernel("l2_norm", 4).set(2, norm.groupSize()).set(3, norm.epsilon());
        return stage(launch, 1, norm.groupSize());
    }

    Stage layerNorm(Op.LayerNorm norm, long gain, long bias) {
        Launch launch = device.kernel("layer_norm", 6)
                .set(1, gain)
                .set(2, bias)
                .set(4, node.output().columns())
                .set(5, norm.epsilon());
        return stage(launch, 3, node.output().columns());
    }

    private Stage stage(Launch launch, int outputArgument, int groupSize) {
        Value x = node.inputs().getFirst();
        int groups = x.columns() / groupSize;
        int threads = Math.min(MOST_THREADS, Launch.blocks(groupSize, WARP) * WARP);
        return context -> {
            launch.set(0, context.address(x)).set(outputArgument, context.address(node.output()));
            launch.run(Math.multiplyExact(context.rows(x), groups), 1, threads);
        };
    }
}
