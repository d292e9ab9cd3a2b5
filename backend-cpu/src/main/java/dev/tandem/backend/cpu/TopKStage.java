package dev.tandem.backend.cpu;

import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.numeric.Sums;
import org.jspecify.annotations.Nullable;

/** The k best columns of each row and their log-probabilities. */
final class TopKStage implements Stage {
    private final int k;
    private final Value input;
    private final Buffer x;
    private final @Nullable Buffer inverseTemperature;
    private final Buffer ids;
    private final Buffer logProbs;

    TopKStage(int k, Node node, Buffers buffers) {
        this.k = k;
        this.input = node.inputs().getFirst();
        this.x = buffers.of(input);
        this.inverseTemperature =
                node.inputs().size() == 1 ? null : buffers.of(node.inputs().get(1));
        this.ids = buffers.of(node.outputs().get(0));
        this.logProbs = buffers.of(node.outputs().get(1));
    }

    @Override
    public void run(StepContext context) {
        int n = x.columns();
        context.rows(context.rows(input), n, (from, to, scratch) -> {
            float[] scaled = scratch.row(n);
            for (int row = from; row < to; row++) {
                float t = inverseTemperature == null ? 1f : inverseTemperature.floats()[row];
                context.kernels().scale(x.floats(), row * n, t, scaled, 0, n);
                float logSumExp = Sums.logSumExp(scaled, 0, n);
                int[] best = Sums.topK(scaled, 0, n, k);
                for (int rank = 0; rank < k; rank++) {
                    ids.ints()[row * k + rank] = best[rank];
                    logProbs.floats()[row * k + rank] = scaled[best[rank]] - logSumExp;
                }
            }
        });
    }
}
