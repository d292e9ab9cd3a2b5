package dev.tandem.gpu;

import dev.tandem.gpu.device.Device;
import dev.tandem.gpu.device.Launch;
import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType.RowSet;
import java.util.ArrayList;
import java.util.List;

/** Stages that compute elements one by one, or move them. */
final class ElementStages {
    private static final int THREADS = 256;
    private static final int ROW_THREADS = 128;

    private final Device device;
    private final Node node;

    ElementStages(Device device, Node node) {
        this.device = device;
        this.node = node;
    }

    private Value in(int index) {
        return node.inputs().get(index);
    }

    private static void perElement(Launch launch, int count) {
        launch.run(Launch.blocks(count, THREADS), 1, THREADS);
    }

    private static int count(RunContext context, Value value) {
        return Math.multiplyExact(context.rows(value), value.columns());
    }

    /** y = f(x), argument 2 being the number of elements. */
    private Stage unary(Launch launch) {
        Value y = node.output();
        return context -> {
            int count = count(context, y);
            launch.set(0, context.address(in(0))).set(1, context.address(y)).set(2, count);
            perElement(launch, count);
        };
    }

    /** y = f(a, b), argument 3 being the number of elements. */
    private Stage binary(Launch launch) {
        Value y = node.output();
        return context -> {
            int count = count(context, y);
            launch.set(0, context.address(in(0)))
                    .set(1, context.address(in(1)))
                    .set(2, context.address(y))
                    .set(3, count);
            perElement(launch, count);
        };
    }

    Stage add() {
        return binary(device.kernel("add", 6).set(4, node.output().columns()).set(5, 0));
    }

    Stage multiply() {
        int columns = node.output().columns();
        return binary(device.kernel("multiply", 6).set(4, columns).set(5, in(1).columns() == columns ? 0 : 1));
    }

    /** The kernels' number of an activation. */
    static int number(Activation activation) {
        return switch (activation) {
            case SILU -> 0;
            case GELU_TANH -> 1;
            case GELU_ERF -> 2;
            case SIGMOID -> 3;
        };
    }

    Stage gate(Activation activation) {
        int columns = node.output().columns();
        return binary(device.kernel("gate", 7)
                .set(4, columns)
                .set(5, in(0).columns() == columns ? 0 : 1)
                .set(6, number(activation)));
    }

    Stage clampedGate(Op.ClampedGate gate) {
        return binary(device.kernel("clamped_gate", 6).set(4, gate.alpha()).set(5, gate.limit()));
    }

    Stage scale(float factor) {
        return unary(device.kernel("scale", 4).set(3, factor));
    }

    Stage softCap(float cap) {
        return unary(device.kernel("soft_cap", 4).set(3, cap));
    }

    Stage scaleByPosition(StepRows factors) {
        Value y = node.output();
        Launch launch = device.kernel("multiply", 6).set(4, y.columns()).set(5, 1);
        return context -> {
            int count = count(context, y);
            launch.set(0, context.address(in(0)))
                    .set(1, factors.address())
                    .set(2, context.address(y))
                    .set(3, count);
            perElement(launch, count);
        };
    }

    Stage rope(Op.Rope rope, StepTable table, StepRows angles) {
        Value y = node.output();
        Launch launch = device.kernel("rope", 10)
                .set(4, selected(y))
                .set(5, y.columns())
                .set(6, rope.headDim())
                .set(7, rope.offset())
                .set(8, rope.spec().rotaryDims() / 2)
                .set(9, rope.pairing() == Op.Rope.Pairing.INTERLEAVED ? 1 : 0);
        return context -> {
            launch.set(0, context.address(in(0)))
                    .set(1, angles.address())
                    .set(2, context.address(y))
                    .set(3, table.address());
            launch.run(context.rows(y), 1, ROW_THREADS);
        };
    }

    /** 1 where a value's rows are the selected ones. */
    static int selected(Value value) {
        return value.type().rows() == RowSet.SELECTED ? 1 : 0;
    }

    Stage selectRows(StepTable table) {
        Value y = node.output();
        Launch launch = device.kernel("select_rows", 4).set(3, y.columns());
        return context -> {
            launch.set(0, context.address(in(0)))
                    .set(1, table.selectedAddress())
                    .set(2, context.address(y));
            launch.run(context.rows(y), 1, ROW_THREADS);
        };
    }

    Stage concat(int groups) {
        Value y = node.output();
        int yGroup = y.columns() / groups;
        List<Stage> parts = new ArrayList<>();
        int first = 0;
        for (Value x : node.inputs()) {
            int width = x.columns() / groups;
            parts.add(copyColumns(x, new Cut(groups, width, width, 0, yGroup, first)));
            first += width;
        }
        return context -> parts.forEach(part -> part.run(context));
    }

    Stage columns(Op.Columns part) {
        int xGroup = in(0).columns() / part.groups();
        return copyColumns(in(0), new Cut(part.groups(), part.count(), xGroup, part.first(), part.count(), 0));
    }

    /**
     * Which columns go where.
     *
     * @param groups of columns in both rows
     * @param width columns copied of a group
     * @param xGroup columns of a group of the source
     * @param xFirst the first one copied
     * @param yGroup columns of a group of the target
     * @param yFirst where the first one goes
     */
    private record Cut(int groups, int width, int xGroup, int xFirst, int yGroup, int yFirst) {}

    private Stage copyColumns(Value x, Cut cut) {
        Value y = node.output();
        Launch launch = device.kernel("copy_columns", 11)
                .set(3, cut.groups)
                .set(4, cut.width)
                .set(5, x.columns())
                .set(6, cut.xGroup)
                .set(7, cut.xFirst)
                .set(8, y.columns())
                .set(9, cut.yGroup)
                .set(10, cut.yFirst);
        return context -> {
            int count = Math.multiplyExact(context.rows(y), cut.groups * cut.width);
            launch.set(0, context.address(x)).set(1, context.address(y)).set(2, count);
            perElement(launch, count);
        };
    }

    Stage moeCombine() {
        Value y = node.output();
        Launch launch = device.kernel("moe_combine", 6).set(4, y.columns()).set(5, in(1).columns());
        return context -> {
            int count = count(context, y);
            launch.set(0, context.address(in(0)))
                    .set(1, context.address(in(1)))
                    .set(2, context.address(y))
                    .set(3, count);
            perElement(launch, count);
        };
    }
}
