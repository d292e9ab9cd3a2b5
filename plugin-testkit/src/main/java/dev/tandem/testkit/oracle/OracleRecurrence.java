package dev.tandem.testkit.oracle;

import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.GatedDeltaRule.KeySharing;
import dev.tandem.spi.graph.StateSpec;
import java.util.Arrays;
import java.util.List;

/** Ops with a memory other than keys and values. */
final class OracleRecurrence {
    private OracleRecurrence() {}

    static void convolve(OracleRun run, Node node, Op.ShortConv conv) {
        Table x = run.value(node.inputs().getFirst());
        Table y = run.define(node.output());
        Table kernel = run.weight(conv.kernel());
        Table bias = run.weight(conv.bias());
        int n = x.columns();
        for (OracleRun.Part part : run.parts()) {
            Slot slot = part.state().slot(conv.slot());
            for (int row = 0; row < part.rows(); row++) {
                int at = part.firstRow() + row;
                slot.put(row, Arrays.copyOfRange(x.floats(), at * n, (at + 1) * n));
                List<Integer> path = part.state().step().path(row);
                for (int channel = 0; channel < n; channel++) {
                    double sum = bias == null ? 0 : bias.floats()[channel];
                    for (int tap = 0; tap < kernel.columns(); tap++) {
                        int ancestor = path.size() - kernel.columns() + tap;
                        float[] entry = ancestor >= 0
                                ? slot.open(path.get(ancestor))
                                : slot.committed(part.state().committedRows() + ancestor);
                        sum += kernel.at(channel, tap) * entry[channel];
                    }
                    double input = sum;
                    y.set(
                            at,
                            channel,
                            conv.activation().map(a -> Reals.activate(a, input)).orElse(sum));
                }
            }
        }
    }

    static void deltaRule(OracleRun run, Node node, Op.GatedDeltaRule rule) {
        run.define(node.output());
        for (OracleRun.Part part : run.parts()) {
            Slot slot = part.state().slot(rule.slot());
            int[] parents = part.state().step().parents();
            for (int row = 0; row < part.rows(); row++) {
                float[] before =
                        parents[row] < 0 ? slot.committed(part.state().committedRows() - 1) : slot.open(parents[row]);
                float[] matrices = before.clone();
                StateSpec.DeltaMatrix spec = (StateSpec.DeltaMatrix) slot.spec();
                for (int head = 0; head < spec.heads(); head++) {
                    deltaHead(run, node, rule, spec, matrices, part.firstRow() + row, head);
                }
                slot.put(row, matrices);
            }
        }
    }

    private static void deltaHead(
            OracleRun run,
            Node node,
            Op.GatedDeltaRule rule,
            StateSpec.DeltaMatrix spec,
            float[] s,
            int row,
            int head) {
        Table q = run.value(node.inputs().get(0));
        Table k = run.value(node.inputs().get(1));
        Table v = run.value(node.inputs().get(2));
        double a = run.value(node.inputs().get(3)).at(row, head);
        double b = run.value(node.inputs().get(4)).at(row, head);
        double rate = Reals.softplus(a + run.weight(rule.timeBias()).floats()[head]);
        double decay = Math.exp(rate * run.weight(rule.decay()).floats()[head]);
        double beta = Reals.sigmoid(b);
        int keyHead = rule.keySharing() == KeySharing.TILED
                ? head % rule.keyHeads()
                : head / (spec.heads() / rule.keyHeads());
        int n = spec.keyDim();
        for (int i = 0; i < spec.valueDim(); i++) {
            int at = (head * spec.valueDim() + i) * n;
            double u = 0;
            for (int j = 0; j < n; j++) {
                u += s[at + j] * decay * k.at(row, keyHead * n + j);
            }
            double error = (v.at(row, head * spec.valueDim() + i) - u) * beta;
            double result = 0;
            for (int j = 0; j < n; j++) {
                double element = s[at + j] * decay + k.at(row, keyHead * n + j) * error;
                s[at + j] = (float) element;
                result += element * q.at(row, keyHead * n + j);
            }
            run.value(node.output()).set(row, head * spec.valueDim() + i, result);
        }
    }
}
