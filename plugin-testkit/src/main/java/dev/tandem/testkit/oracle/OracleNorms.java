package dev.tandem.testkit.oracle;

import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.RopeSpec.Scaling;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.numeric.RopeTable;
import org.jspecify.annotations.Nullable;

/** Norms over groups of columns, and rotary position embedding. */
final class OracleNorms {
    private OracleNorms() {}

    static void rms(OracleRun run, Node node, Op.RmsNorm norm) {
        Table x = run.value(node.inputs().getFirst());
        Table y = run.define(node.output());
        Table gain = run.weight(norm.gain());
        int n = norm.groupSize();
        for (int at = 0; at < y.floats().length; at += n) {
            double r = 1 / Math.sqrt(squares(x, at, n, 0) / n + norm.epsilon());
            for (int i = 0; i < n; i++) {
                y.floats()[at + i] = (float) (x.floats()[at + i] * r * factor(gain, i));
            }
        }
    }

    static void l2(OracleRun run, Node node, Op.L2Norm norm) {
        Table x = run.value(node.inputs().getFirst());
        Table y = run.define(node.output());
        int n = norm.groupSize();
        for (int at = 0; at < y.floats().length; at += n) {
            double length = Math.max(Math.sqrt(squares(x, at, n, 0)), norm.epsilon());
            for (int i = 0; i < n; i++) {
                y.floats()[at + i] = (float) (x.floats()[at + i] / length);
            }
        }
    }

    static void layer(OracleRun run, Node node, Op.LayerNorm norm) {
        Table x = run.value(node.inputs().getFirst());
        Table y = run.define(node.output());
        Table gain = run.weight(norm.gain());
        Table bias = run.weight(norm.bias());
        int n = x.columns();
        for (int at = 0; at < y.floats().length; at += n) {
            double mean = 0;
            for (int i = 0; i < n; i++) {
                mean += (double) x.floats()[at + i] / n;
            }
            double r = 1 / Math.sqrt(squares(x, at, n, mean) / n + norm.epsilon());
            for (int i = 0; i < n; i++) {
                double scaled = (x.floats()[at + i] - mean) * r * gain.at(0, i);
                y.floats()[at + i] = (float) (bias == null ? scaled : scaled + bias.at(0, i));
            }
        }
    }

    private static double squares(Table x, int at, int n, double mean) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            double d = x.floats()[at + i] - mean;
            sum += d * d;
        }
        return sum;
    }

    private static double factor(@Nullable Table gain, int i) {
        return gain == null ? 1 : gain.at(0, i);
    }

    static void rope(OracleRun run, Node node, Op.Rope rope) {
        Value input = node.inputs().getFirst();
        Table x = run.value(input);
        Table y = run.define(node.output());
        System.arraycopy(x.floats(), 0, y.floats(), 0, x.floats().length);
        double[] frequencies = RopeTable.frequencies(rope.spec());
        boolean interleaved = rope.pairing() == Op.Rope.Pairing.INTERLEAVED;
        for (int row = 0; row < y.rows(); row++) {
            double position = run.batch().positions()[run.stepRow(input, row)] / divisor(rope.spec());
            for (int head = rope.offset(); head < x.columns(); head += rope.headDim()) {
                for (int pair = 0; pair < frequencies.length; pair++) {
                    int first = head + (interleaved ? 2 * pair : pair);
                    int second = interleaved ? first + 1 : first + frequencies.length;
                    double cos = Math.cos(position * frequencies[pair]) * magnitude(rope.spec());
                    double sin = Math.sin(position * frequencies[pair]) * magnitude(rope.spec());
                    y.set(row, first, x.at(row, first) * cos - x.at(row, second) * sin);
                    y.set(row, second, x.at(row, second) * cos + x.at(row, first) * sin);
                }
            }
        }
    }

    private static double divisor(RopeSpec spec) {
        return spec.scaling() instanceof Scaling.Linear linear ? linear.factor() : 1;
    }

    private static double magnitude(RopeSpec spec) {
        return switch (spec.scaling()) {
            case Scaling.Yarn yarn -> yarn.attentionFactor();
            case Scaling.Divisors divisors -> divisors.attentionFactor();
            case Scaling.None none -> 1;
            case Scaling.Linear linear -> 1;
        };
    }
}
