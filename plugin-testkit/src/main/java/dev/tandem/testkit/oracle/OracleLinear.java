package dev.tandem.testkit.oracle;

import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.numeric.BlockQuantizer;
import dev.tandem.spi.numeric.IntegerBlocks;
import java.util.Arrays;

/** Embedding and linear layers. In FAST, activations that meet integer weights are rounded to int8 first. */
final class OracleLinear {
    private OracleLinear() {}

    static void embed(OracleRun run, Node node, Op.Embed embed) {
        Table table = run.weight(embed.table());
        Table y = run.define(node.output());
        int n = table.columns();
        for (int row = 0; row < y.rows(); row++) {
            int token = run.batch().tokens()[row];
            if (token < 0 || token >= table.rows()) {
                throw new IllegalArgumentException("token " + token + " of a vocabulary of " + table.rows());
            }
            System.arraycopy(table.floats(), token * n, y.floats(), row * n, n);
        }
    }

    static void matMul(OracleRun run, Node node, Op.MatMul matMul) {
        Table weight = run.weight(matMul.weight());
        Table bias = run.weight(matMul.bias());
        Table x = run.value(node.inputs().getFirst());
        Table y = run.define(node.output());
        boolean integer = matMul.arithmetic() == Op.Arithmetic.BY_PRECISION && integer(run, matMul.weight());
        for (int row = 0; row < y.rows(); row++) {
            double[] activations = activations(x, row * x.columns(), x.columns(), integer);
            for (int o = 0; o < y.columns(); o++) {
                double sum = dot(weight, o, activations);
                y.set(row, o, bias == null ? sum : sum + bias.floats()[o]);
            }
        }
    }

    static void moeMatMul(OracleRun run, Node node, Op.MoeMatMul matMul) {
        Table weight = run.weight(matMul.experts());
        Table bias = run.weight(matMul.bias());
        Table x = run.value(node.inputs().get(0));
        Table ids = run.value(node.inputs().get(1));
        Table y = run.define(node.output());
        int in = weight.columns();
        int out = y.columns() / ids.columns();
        boolean integer = integer(run, matMul.experts());
        for (int row = 0; row < y.rows(); row++) {
            for (int rank = 0; rank < ids.columns(); rank++) {
                int piece = x.columns() == in ? 0 : rank * in;
                double[] activations = activations(x, row * x.columns() + piece, in, integer);
                int expert = ids.ints()[row * ids.columns() + rank];
                for (int o = 0; o < out; o++) {
                    double sum = dot(weight, expert * out + o, activations);
                    y.set(row, rank * out + o, bias == null ? sum : sum + bias.floats()[expert * out + o]);
                }
            }
        }
    }

    private static boolean integer(OracleRun run, WeightRef weight) {
        return run.precision() == Precision.FAST
                && IntegerBlocks.supports(weight.type())
                && weight.columns() % BlockQuantizer.BLOCK == 0;
    }

    private static double[] activations(Table x, int from, int n, boolean integer) {
        double[] values = new double[n];
        if (!integer) {
            Arrays.setAll(values, i -> x.floats()[from + i]);
            return values;
        }
        byte[] q = new byte[n];
        int blocks = n / BlockQuantizer.BLOCK;
        float[] scales = new float[blocks];
        BlockQuantizer.quantize(x.floats(), from, n, q, 0, scales, new int[blocks], 0);
        Arrays.setAll(values, i -> (double) q[i] * scales[i / BlockQuantizer.BLOCK]);
        return values;
    }

    private static double dot(Table weight, int row, double[] x) {
        double sum = 0;
        for (int i = 0; i < x.length; i++) {
            sum += weight.at(row, i) * x[i];
        }
        return sum;
    }
}
