package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.numeric.PositionScale;
import dev.tandem.spi.numeric.RopeTable;
import dev.tandem.spi.numeric.Sums;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stages that work row by row without state or matrices. */
final class ElementStages {
    private final Buffers buffers;
    private final Node node;

    ElementStages(Buffers buffers, Node node) {
        this.buffers = buffers;
        this.node = node;
    }

    /** Work on one row of the output. */
    @FunctionalInterface
    private interface RowTask {
        void run(StepContext context, int row);
    }

    private Stage perRow(RowTask task) {
        Value output = node.output();
        return context -> context.rows(context.rows(output), output.columns(), (from, to, scratch) -> {
            for (int row = from; row < to; row++) {
                task.run(context, row);
            }
        });
    }

    private Buffer in(int index) {
        return buffers.of(node.inputs().get(index));
    }

    private Buffer out() {
        return buffers.of(node.output());
    }

    Stage selectRows() {
        Buffer x = in(0);
        Buffer y = out();
        int n = x.columns();
        return perRow((context, row) -> {
            int from = context.batch().selected()[row];
            if (node.output().type().type() == DType.F32) {
                System.arraycopy(x.floats(), from * n, y.floats(), row * n, n);
            } else {
                System.arraycopy(x.ints(), from * n, y.ints(), row * n, n);
            }
        });
    }

    Stage concat(int groups) {
        List<Buffer> parts = node.inputs().stream().map(buffers::of).toList();
        Buffer y = out();
        return perRow((context, row) -> {
            int at = row * y.columns();
            for (int group = 0; group < groups; group++) {
                for (Buffer part : parts) {
                    int n = part.columns() / groups;
                    System.arraycopy(part.floats(), row * part.columns() + group * n, y.floats(), at, n);
                    at += n;
                }
            }
        });
    }

    Stage columns(Op.Columns part) {
        Buffer x = in(0);
        Buffer y = out();
        int group = x.columns() / part.groups();
        return perRow((context, row) -> {
            for (int g = 0; g < part.groups(); g++) {
                int from = row * x.columns() + g * group + part.first();
                System.arraycopy(x.floats(), from, y.floats(), row * y.columns() + g * part.count(), part.count());
            }
        });
    }

    Stage rmsNorm(Op.RmsNorm norm, float @Nullable [] gain) {
        Buffer x = in(0);
        Buffer y = out();
        int n = norm.groupSize();
        return perRow((context, row) -> {
            for (int at = row * x.columns(); at < (row + 1) * x.columns(); at += n) {
                context.kernels().rmsNorm(x.floats(), at, gain, n, norm.epsilon(), y.floats(), at);
            }
        });
    }

    Stage l2Norm(Op.L2Norm norm) {
        Buffer x = in(0);
        Buffer y = out();
        int n = norm.groupSize();
        return perRow((context, row) -> {
            for (int at = row * x.columns(); at < (row + 1) * x.columns(); at += n) {
                context.kernels().l2Norm(x.floats(), at, n, norm.epsilon(), y.floats(), at);
            }
        });
    }

    Stage layerNorm(Op.LayerNorm norm, float[] gain, float @Nullable [] bias) {
        Buffer x = in(0);
        Buffer y = out();
        int n = x.columns();
        return perRow((context, row) ->
                context.kernels().layerNorm(x.floats(), row * n, gain, bias, n, norm.epsilon(), y.floats(), row * n));
    }

    Stage rope(Op.Rope rope, RopeTable table) {
        Buffer x = in(0);
        Buffer y = out();
        Value input = node.inputs().getFirst();
        int n = x.columns();
        boolean interleaved = rope.pairing() == Op.Rope.Pairing.INTERLEAVED;
        return perRow((context, row) -> {
            System.arraycopy(x.floats(), row * n, y.floats(), row * n, n);
            int position = context.batch().positions()[context.stepRow(input, row)];
            float[] page = table.page(position);
            for (int head = row * n; head < (row + 1) * n; head += rope.headDim()) {
                context.kernels()
                        .rope(
                                y.floats(),
                                head + rope.offset(),
                                interleaved,
                                page,
                                table.rowOffset(position),
                                table.pairs());
            }
        });
    }

    Stage add() {
        return binary((kernels, a, b, y, at, n) -> kernels.add(a, at, b, at, y, at, n));
    }

    Stage clampedGate(Op.ClampedGate gate) {
        return binary(
                (kernels, a, b, y, at, n) -> kernels.clampedGate(gate.alpha(), gate.limit(), a, at, b, at, y, at, n));
    }

    Stage multiply() {
        if (in(0).columns() == in(1).columns()) {
            return binary((kernels, a, b, y, at, n) -> kernels.multiply(a, at, b, at, y, at, n));
        }
        Buffer a = in(0);
        Buffer b = in(1);
        Buffer y = out();
        int n = y.columns();
        return perRow((context, row) ->
                context.kernels().scale(a.floats(), row * n, b.floats()[row], y.floats(), row * n, n));
    }

    Stage gate(Activation activation) {
        if (in(0).columns() == in(1).columns()) {
            return binary((kernels, a, b, y, at, n) -> kernels.gate(activation, a, at, b, at, y, at, n));
        }
        Buffer a = in(0);
        Buffer b = in(1);
        Buffer y = out();
        int n = y.columns();
        return perRow((context, row) -> {
            float[] factor = new float[1];
            context.kernels().activate(activation, a.floats(), row, factor, 0, 1);
            context.kernels().scale(b.floats(), row * n, factor[0], y.floats(), row * n, n);
        });
    }

    Stage scale(float factor) {
        Buffer x = in(0);
        Buffer y = out();
        int n = x.columns();
        return perRow((context, row) -> context.kernels().scale(x.floats(), row * n, factor, y.floats(), row * n, n));
    }

    Stage scaleByPosition(Op.ScaleByPosition scale) {
        Buffer x = in(0);
        Buffer y = out();
        Value input = node.inputs().getFirst();
        int n = x.columns();
        return perRow((context, row) -> {
            int position = context.batch().positions()[context.stepRow(input, row)];
            float factor = PositionScale.factor(scale, position);
            context.kernels().scale(x.floats(), row * n, factor, y.floats(), row * n, n);
        });
    }

    Stage softCap(float cap) {
        Buffer x = in(0);
        Buffer y = out();
        int n = x.columns();
        return perRow((context, row) -> context.kernels().softCap(x.floats(), row * n, cap, y.floats(), row * n, n));
    }

    Stage moeCombine() {
        Buffer experts = in(0);
        Buffer weights = in(1);
        Buffer y = out();
        int n = y.columns();
        int used = weights.columns();
        return perRow((context, row) -> {
            Arrays.fill(y.floats(), row * n, (row + 1) * n, 0f);
            for (int rank = 0; rank < used; rank++) {
                float weight = weights.floats()[row * used + rank];
                context.kernels().accumulate(weight, experts.floats(), (row * used + rank) * n, y.floats(), row * n, n);
            }
        });
    }

    Stage argMax() {
        Buffer x = in(0);
        Buffer y = out();
        int n = x.columns();
        return context -> context.rows(context.rows(node.output()), n, (from, to, scratch) -> {
            for (int row = from; row < to; row++) {
                y.ints()[row] = Sums.argMax(x.floats(), row * n, n);
            }
        });
    }

    /** An element-wise kernel on two arrays at the same index. */
    @FunctionalInterface
    private interface Binary {
        void apply(Kernels kernels, float[] a, float[] b, float[] y, int at, int n);
    }

    private Stage binary(Binary kernel) {
        Buffer a = in(0);
        Buffer b = in(1);
        Buffer y = out();
        int n = y.columns();
        return perRow(
                (context, row) -> kernel.apply(context.kernels(), a.floats(), b.floats(), y.floats(), row * n, n));
    }
}
