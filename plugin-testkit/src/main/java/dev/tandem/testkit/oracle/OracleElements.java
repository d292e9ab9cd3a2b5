package dev.tandem.testkit.oracle;

import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/** Ops that work element by element or only move elements. */
final class OracleElements {
    private OracleElements() {}

    static void unary(OracleRun run, Node node, DoubleUnaryOperator f) {
        Table x = run.value(node.inputs().getFirst());
        Table y = run.define(node.output());
        for (int i = 0; i < y.floats().length; i++) {
            y.floats()[i] = (float) f.applyAsDouble(x.floats()[i]);
        }
    }

    static void scaleByPosition(OracleRun run, Node node, Op.ScaleByPosition op) {
        Value input = node.inputs().getFirst();
        Table x = run.value(input);
        Table y = run.define(node.output());
        for (int row = 0; row < y.rows(); row++) {
            int position = run.batch().positions()[run.stepRow(input, row)];
            int periods = position / op.period();
            double factor = 1 + op.strength() * Math.log1p(periods);
            for (int column = 0; column < y.columns(); column++) {
                y.set(row, column, x.at(row, column) * factor);
            }
        }
    }

    /** An input of one column serves all columns of the other. */
    static void binary(OracleRun run, Node node, DoubleBinaryOperator f) {
        Table a = run.value(node.inputs().get(0));
        Table b = run.value(node.inputs().get(1));
        Table y = run.define(node.output());
        for (int row = 0; row < y.rows(); row++) {
            for (int column = 0; column < y.columns(); column++) {
                double left = a.at(row, a.columns() == 1 ? 0 : column);
                double right = b.at(row, b.columns() == 1 ? 0 : column);
                y.set(row, column, f.applyAsDouble(left, right));
            }
        }
    }

    static void selectRows(OracleRun run, Node node) {
        Table x = run.value(node.inputs().getFirst());
        Table y = run.define(node.output());
        int n = x.columns();
        for (int row = 0; row < y.rows(); row++) {
            int from = run.batch().selected()[row] * n;
            if (x.floats().length > 0) {
                System.arraycopy(x.floats(), from, y.floats(), row * n, n);
            } else {
                System.arraycopy(x.ints(), from, y.ints(), row * n, n);
            }
        }
    }

    static void concat(OracleRun run, Node node, int groups) {
        List<Table> parts = node.inputs().stream().map(run::value).toList();
        Table y = run.define(node.output());
        for (int row = 0; row < y.rows(); row++) {
            int column = 0;
            for (int group = 0; group < groups; group++) {
                for (Table part : parts) {
                    int size = part.columns() / groups;
                    for (int i = 0; i < size; i++) {
                        y.set(row, column++, part.at(row, group * size + i));
                    }
                }
            }
        }
    }

    static void columns(OracleRun run, Node node, Op.Columns op) {
        Table x = run.value(node.inputs().getFirst());
        Table y = run.define(node.output());
        int group = x.columns() / op.groups();
        for (int row = 0; row < y.rows(); row++) {
            for (int i = 0; i < y.columns(); i++) {
                y.set(row, i, x.at(row, i / op.count() * group + op.first() + i % op.count()));
            }
        }
    }
}
