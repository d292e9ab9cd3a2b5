package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.DType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A linear layer per chosen expert: one task per row and rank. */
final class MoeMatMulStage implements Stage {
    private final Value input;
    private final Buffer x;
    private final Buffer ids;
    private final Buffer y;
    private final List<Matrix> experts;
    private final float @Nullable [] bias;
    private final Buffer pieces;

    MoeMatMulStage(Node node, Buffers buffers, List<Matrix> experts, float @Nullable [] bias) {
        this.input = node.inputs().getFirst();
        this.x = buffers.of(input);
        this.ids = buffers.of(node.inputs().get(1));
        this.y = buffers.of(node.output());
        this.experts = experts;
        this.bias = bias;
        // A row of one piece per rank is as many rows of one piece.
        this.pieces = new Buffer(DType.F32, experts.getFirst().columns());
    }

    @Override
    public void run(StepContext context) {
        int rows = context.rows(input);
        int used = ids.columns();
        int perRow = x.columns() / pieces.columns();
        Activations activations = pieces(context, rows * perRow);
        int out = experts.getFirst().rows();
        context.pool().run(rows * used, (task, scratch) -> {
            int expert = ids.ints()[task];
            int piece = perRow == 1 ? task / used : task;
            experts.get(expert).multiply(activations, piece, 1, y.floats(), task * out, out, 0, out, scratch);
            if (bias != null) {
                for (int o = 0; o < out; o++) {
                    y.floats()[task * out + o] += bias[expert * out + o];
                }
            }
        });
    }

    private Activations pieces(StepContext context, int count) {
        boolean integer = experts.getFirst().integer();
        if (x.columns() == pieces.columns()) {
            return integer ? x.quantized(context, input, count) : x.plain();
        }
        pieces.reserve(count);
        System.arraycopy(x.floats(), 0, pieces.floats(), 0, count * pieces.columns());
        return integer ? pieces.quantized(context, input, count) : pieces.plain();
    }
}
