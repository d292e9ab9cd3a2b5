package dev.tandem.testkit.oracle;

import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.Attention.InStep;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Attention: one softmax over all that a row sees. */
final class OracleAttention {
    private OracleAttention() {}

    /** Stores the step's keys and values, rounded to the slot's type. */
    static void append(OracleRun run, Node node, String slotName) {
        Table k = run.value(node.inputs().get(node.inputs().size() - 2));
        Table v = run.value(node.inputs().getLast());
        for (OracleRun.Part part : run.parts()) {
            Slot slot = part.state().slot(slotName);
            boolean half = ((StateSpec.Kv) slot.spec()).type() == DType.F16;
            for (int row = 0; row < part.rows(); row++) {
                float[] entry = new float[k.columns() + v.columns()];
                int at = part.firstRow() + row;
                System.arraycopy(k.floats(), at * k.columns(), entry, 0, k.columns());
                System.arraycopy(v.floats(), at * v.columns(), entry, k.columns(), v.columns());
                for (int i = 0; half && i < entry.length; i++) {
                    entry[i] = Float.float16ToFloat(Float.floatToFloat16(entry[i]));
                }
                slot.put(row, entry);
            }
        }
    }

    static void attend(OracleRun run, Node node, Op.Attention op) {
        append(run, node, op.slot());
        Value query = node.inputs().getFirst();
        Table q = run.value(query);
        Table y = run.define(node.output());
        Table sinks = run.weight(op.sinks());
        for (int row = 0; row < q.rows(); row++) {
            int stepRow = run.stepRow(query, row);
            OracleRun.Part part = run.part(stepRow);
            Slot slot = part.state().slot(op.slot());
            List<float[]> seen = seen(part.state(), slot, stepRow - part.firstRow(), op.inStep());
            for (int head = 0; head < op.heads(); head++) {
                attendHead(op, (StateSpec.Kv) slot.spec(), seen, q, y, sinks, row, head);
            }
        }
    }

    /** Entries that a row sees, in the order of their positions. */
    private static List<float[]> seen(OracleState state, Slot slot, int row, InStep inStep) {
        OpenStep step = state.step();
        int window = ((StateSpec.Kv) slot.spec()).window();
        int position = state.committedRows() + step.path(row).size() - 1;
        int first = window == 0 ? 0 : Math.max(0, position + 1 - window);
        List<float[]> all = new ArrayList<>();
        for (int p = 0; p < state.committedRows(); p++) {
            all.add(slot.committed(p));
        }
        List<Integer> inStepRows =
                inStep == InStep.BLOCK ? IntStream.range(0, step.rows()).boxed().toList() : step.path(row);
        inStepRows.forEach(r -> all.add(slot.open(r)));
        return all.subList(Math.min(first, all.size()), all.size());
    }

    private static void attendHead(
            Op.Attention op,
            StateSpec.Kv kv,
            List<float[]> seen,
            Table q,
            Table y,
            @Nullable Table sinks,
            int row,
            int head) {
        int kvHead = head / (op.heads() / kv.heads());
        double[] scores = new double[seen.size()];
        double highest = sinks == null ? Double.NEGATIVE_INFINITY : sinks.floats()[head];
        for (int i = 0; i < scores.length; i++) {
            double dot = 0;
            for (int j = 0; j < kv.keyDim(); j++) {
                dot += q.at(row, head * kv.keyDim() + j) * seen.get(i)[kvHead * kv.keyDim() + j];
            }
            scores[i] = dot * op.scale();
            if (op.softCap() > 0) {
                scores[i] = Math.tanh(scores[i] / op.softCap()) * op.softCap();
            }
            highest = Math.max(highest, scores[i]);
        }
        double total = sinks == null ? 0 : Math.exp(sinks.floats()[head] - highest);
        double[] sums = new double[kv.valueDim()];
        for (int i = 0; i < scores.length; i++) {
            double weight = Math.exp(scores[i] - highest);
            total += weight;
            for (int j = 0; j < sums.length; j++) {
                sums[j] += weight * seen.get(i)[kv.heads() * kv.keyDim() + kvHead * kv.valueDim() + j];
            }
        }
        for (int j = 0; j < sums.length; j++) {
            y.set(row, head * kv.valueDim() + j, sums[j] / total);
        }
    }
}
