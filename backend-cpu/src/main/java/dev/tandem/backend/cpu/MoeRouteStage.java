package dev.tandem.backend.cpu;

import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.MoeRoute.Scoring;
import dev.tandem.spi.numeric.Functions;
import dev.tandem.spi.numeric.Sums;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Chooses experts per row (N7). */
final class MoeRouteStage implements Stage {
    private final Op.MoeRoute op;
    private final Node node;
    private final Buffer logits;
    private final Buffer ids;
    private final Buffer weights;
    private final float @Nullable [] selectionBias;

    MoeRouteStage(Op.MoeRoute op, Node node, Buffers buffers, float @Nullable [] selectionBias) {
        this.op = op;
        this.node = node;
        this.logits = buffers.of(node.inputs().getFirst());
        this.ids = buffers.of(node.outputs().get(0));
        this.weights = buffers.of(node.outputs().get(1));
        this.selectionBias = selectionBias;
    }

    @Override
    public void run(StepContext context) {
        int rows = context.rows(node.inputs().getFirst());
        context.rows(rows, op.experts(), (from, to, scratch) -> {
            for (int row = from; row < to; row++) {
                route(row);
            }
        });
    }

    private void route(int row) {
        int n = op.experts();
        float[] scores = Arrays.copyOfRange(logits.floats(), row * n, (row + 1) * n);
        switch (op.scoring()) {
            case SOFTMAX_THEN_TOP -> softmax(scores);
            case SIGMOID_THEN_TOP -> {
                for (int i = 0; i < n; i++) {
                    scores[i] = Functions.sigmoid(scores[i]);
                }
            }
            case TOP_THEN_SOFTMAX -> {}
        }
        int[] chosen = Sums.topK(selectionScores(scores), 0, n, op.used());
        float[] picked = new float[op.used()];
        for (int rank = 0; rank < picked.length; rank++) {
            picked[rank] = scores[chosen[rank]];
        }
        if (op.scoring() == Scoring.TOP_THEN_SOFTMAX) {
            softmax(picked);
        }
        if (op.renormalise()) {
            float sum = Sums.sum(picked, 0, picked.length);
            for (int rank = 0; rank < picked.length; rank++) {
                picked[rank] /= sum;
            }
        }
        for (int rank = 0; rank < picked.length; rank++) {
            ids.ints()[row * op.used() + rank] = chosen[rank];
            weights.floats()[row * op.used() + rank] = picked[rank] * op.weightScale();
        }
    }

    /** Scores by which experts are chosen: with the bias, and without experts of the weaker groups. */
    private float[] selectionScores(float[] scores) {
        float[] selection = scores.clone();
        if (selectionBias != null) {
            for (int i = 0; i < selection.length; i++) {
                selection[i] += selectionBias[i];
            }
        }
        op.groups().ifPresent(groups -> dropWeakGroups(selection, groups));
        return selection;
    }

    private static void dropWeakGroups(float[] selection, Op.MoeRoute.Groups groups) {
        int size = selection.length / groups.count();
        float[] best = new float[groups.count()];
        for (int group = 0; group < best.length; group++) {
            int[] two = Sums.topK(selection, group * size, size, Math.min(2, size));
            for (int id : two) {
                best[group] += selection[group * size + id];
            }
        }
        boolean[] kept = new boolean[best.length];
        for (int group : Sums.topK(best, 0, best.length, groups.used())) {
            kept[group] = true;
        }
        for (int i = 0; i < selection.length; i++) {
            if (!kept[i / size]) {
                selection[i] = Float.NEGATIVE_INFINITY;
            }
        }
    }

    private static void softmax(float[] x) {
        float maximum = x[0];
        for (float value : x) {
            maximum = Math.max(maximum, value);
        }
        for (int i = 0; i < x.length; i++) {
            x[i] = Functions.exp(x[i] - maximum);
        }
        float sum = Sums.sum(x, 0, x.length);
        for (int i = 0; i < x.length; i++) {
            x[i] /= sum;
        }
    }
}
