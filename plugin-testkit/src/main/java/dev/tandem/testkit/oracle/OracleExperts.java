package dev.tandem.testkit.oracle;

import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.MoeRoute.Groups;
import dev.tandem.spi.graph.Op.MoeRoute.Scoring;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Ops that rank: routing, top-k, argmax; and the weighted sum of what experts gave. */
final class OracleExperts {
    private OracleExperts() {}

    /** Indices by value descending, index ascending, NaN last. */
    private static List<Integer> ranked(double[] x) {
        Comparator<Integer> byValue = Comparator.comparing((Integer i) -> Double.isNaN(x[i]))
                .thenComparingDouble(i -> Double.isNaN(x[i]) ? 0 : 0 - x[i])
                .thenComparing(Comparator.naturalOrder());
        return IntStream.range(0, x.length).boxed().sorted(byValue).toList();
    }

    private static double[] row(Table x, int row) {
        double[] values = new double[x.columns()];
        Arrays.setAll(values, i -> x.at(row, i));
        return values;
    }

    static void route(OracleRun run, Node node, Op.MoeRoute op) {
        Table logits = run.value(node.inputs().getFirst());
        Table ids = run.define(node.outputs().get(0));
        Table weights = run.define(node.outputs().get(1));
        Table bias = run.weight(op.selectionBias());
        for (int row = 0; row < logits.rows(); row++) {
            double[] scores = row(logits, row);
            if (op.scoring() == Scoring.SOFTMAX_THEN_TOP) {
                softmax(scores);
            } else if (op.scoring() == Scoring.SIGMOID_THEN_TOP) {
                Arrays.setAll(scores, i -> Reals.sigmoid(scores[i]));
            }
            List<Integer> chosen = ranked(selection(op, scores, bias)).subList(0, op.used());
            double[] picked = chosen.stream().mapToDouble(i -> scores[i]).toArray();
            if (op.scoring() == Scoring.TOP_THEN_SOFTMAX) {
                softmax(picked);
            }
            double sum = op.renormalise() ? Arrays.stream(picked).sum() : 1;
            for (int rank = 0; rank < picked.length; rank++) {
                ids.ints()[row * op.used() + rank] = chosen.get(rank);
                weights.set(row, rank, picked[rank] / sum * op.weightScale());
            }
        }
    }

    private static double[] selection(Op.MoeRoute op, double[] scores, @Nullable Table bias) {
        double[] selection = scores.clone();
        for (int i = 0; bias != null && i < selection.length; i++) {
            selection[i] += bias.floats()[i];
        }
        op.groups().ifPresent(groups -> dropWeakGroups(selection, groups));
        return selection;
    }

    private static void dropWeakGroups(double[] selection, Groups groups) {
        int size = selection.length / groups.count();
        double[] strength = new double[groups.count()];
        for (int group = 0; group < strength.length; group++) {
            double[] members = Arrays.copyOfRange(selection, group * size, (group + 1) * size);
            strength[group] = ranked(members).stream()
                    .limit(2)
                    .mapToDouble(i -> members[i])
                    .sum();
        }
        List<Integer> kept = ranked(strength).subList(0, groups.used());
        for (int i = 0; i < selection.length; i++) {
            if (!kept.contains(i / size)) {
                selection[i] = Double.NEGATIVE_INFINITY;
            }
        }
    }

    private static void softmax(double[] x) {
        double highest = Arrays.stream(x).max().orElseThrow();
        Arrays.setAll(x, i -> Math.exp(x[i] - highest));
        double sum = Arrays.stream(x).sum();
        Arrays.setAll(x, i -> x[i] / sum);
    }

    static void combine(OracleRun run, Node node) {
        Table experts = run.value(node.inputs().get(0));
        Table weights = run.value(node.inputs().get(1));
        Table y = run.define(node.output());
        for (int row = 0; row < y.rows(); row++) {
            for (int column = 0; column < y.columns(); column++) {
                double sum = 0;
                for (int rank = 0; rank < weights.columns(); rank++) {
                    sum += weights.at(row, rank) * experts.at(row, rank * y.columns() + column);
                }
                y.set(row, column, sum);
            }
        }
    }

    static void topK(OracleRun run, Node node, int k) {
        Table x = run.value(node.inputs().getFirst());
        Table ids = run.define(node.outputs().get(0));
        Table logProbs = run.define(node.outputs().get(1));
        for (int row = 0; row < x.rows(); row++) {
            double[] scaled = row(x, row);
            if (node.inputs().size() == 2) {
                // The product is rounded: equal products rank by id.
                float t = run.value(node.inputs().get(1)).floats()[row];
                Arrays.setAll(scaled, i -> (float) (scaled[i] * t));
            }
            List<Integer> best = ranked(scaled).subList(0, k);
            double highest = scaled[best.getFirst()];
            double sum = Arrays.stream(scaled).map(v -> Math.exp(v - highest)).sum();
            for (int rank = 0; rank < k; rank++) {
                ids.ints()[row * k + rank] = best.get(rank);
                logProbs.set(row, rank, scaled[best.get(rank)] - highest - Math.log(sum));
            }
        }
    }

    static void argMax(OracleRun run, Node node) {
        Table x = run.value(node.inputs().getFirst());
        Table y = run.define(node.output());
        for (int row = 0; row < x.rows(); row++) {
            y.ints()[row] = ranked(row(x, row)).getFirst();
        }
    }
}
