package dev.tandem.backend.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.MoeRoute.Groups;
import dev.tandem.spi.graph.Op.MoeRoute.Scoring;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.testkit.MemoryModel;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Routing and expert layers against plain float64 code. */
final class ExpertTests {
    private static final int ROWS = 5;
    private static final int EXPERTS = 8;
    private static final int USED = 3;
    private static final int IN = 64;
    private static final int OUT = 10;

    private final float[] logits = TestData.random(21, ROWS * EXPERTS);
    private final float[] weights = TestData.random(22, EXPERTS * OUT * IN);
    private final float[] bias = TestData.random(23, EXPERTS * OUT);
    private final float[] selectionBias = TestData.random(24, EXPERTS);
    private final MemoryModel model = new MemoryModel("test")
            .floats("experts", weights, EXPERTS, OUT, IN)
            .floats("bias", bias, EXPERTS, OUT)
            .floats("selection", selectionBias, EXPERTS);

    private WeightRef weight(String name) {
        return WeightRef.of(model, model.tensor(name).orElseThrow());
    }

    private Named route(Op.MoeRoute op) {
        Graph.Builder graph = Graph.builder("route");
        Value x = graph.input("x", ValueType.f32(RowSet.STEP, EXPERTS));
        List<Value> chosen = graph.addAll("route", op, x);
        graph.output("ids", chosen.get(0)).output("weights", chosen.get(1));
        try (GraphRunner runner = new GraphRunner(graph.build(), model, Precision.REFERENCE);
                var state = runner.newState()) {
            return runner.run(List.of(GraphRunner.Part.chain(state, ROWS)), Named.of("x", logits));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "SOFTMAX_THEN_TOP,true,false,1",
        "SOFTMAX_THEN_TOP,false,false,1",
        "TOP_THEN_SOFTMAX,false,false,1",
        "SIGMOID_THEN_TOP,true,true,2.5",
        "SIGMOID_THEN_TOP,false,false,1"
    })
    void routesLikePlainCode(Scoring scoring, boolean renormalise, boolean biased, float scale) {
        Optional<WeightRef> selection = biased ? Optional.of(weight("selection")) : Optional.empty();
        var y = route(new Op.MoeRoute(EXPERTS, USED, scoring, renormalise, scale, selection, Optional.empty()));
        for (int row = 0; row < ROWS; row++) {
            double[] scores = scores(scoring, row);
            int[] order = order(scores, biased, 0, EXPERTS);
            double[] picked = new double[USED];
            double sum = 0;
            for (int rank = 0; rank < USED; rank++) {
                assertEquals(order[rank], (int) y.get("ids")[row * USED + rank]);
                double score = scores[order[rank]];
                picked[rank] = scoring == Scoring.TOP_THEN_SOFTMAX ? Math.exp(score) : score;
                sum += picked[rank];
            }
            boolean divide = renormalise || scoring == Scoring.TOP_THEN_SOFTMAX;
            for (int rank = 0; rank < USED; rank++) {
                double expected = (divide ? picked[rank] / sum : picked[rank]) * scale;
                assertEquals(expected, y.get("weights")[row * USED + rank], 1e-6);
            }
        }
    }

    private double[] scores(Scoring scoring, int row) {
        double[] scores = new double[EXPERTS];
        double sum = 0;
        for (int i = 0; i < EXPERTS; i++) {
            double x = logits[row * EXPERTS + i];
            scores[i] = switch (scoring) {
                case SOFTMAX_THEN_TOP -> Math.exp(x);
                case TOP_THEN_SOFTMAX -> x;
                case SIGMOID_THEN_TOP -> 1 / (1 + Math.exp(-x));
            };
            sum += scores[i];
        }
        for (int i = 0; i < EXPERTS && scoring == Scoring.SOFTMAX_THEN_TOP; i++) {
            scores[i] /= sum;
        }
        return scores;
    }

    private int[] order(double[] scores, boolean biased, int from, int to) {
        Comparator<Integer> best = Comparator.comparingDouble(i -> -(scores[i] + (biased ? selectionBias[i] : 0)));
        return IntStream.range(from, to)
                .boxed()
                .sorted(best.thenComparing(Comparator.naturalOrder()))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    @Test
    void onlyTheBestGroupsTakePart() {
        var groups = Optional.of(new Groups(4, 2));
        var y = route(new Op.MoeRoute(EXPERTS, USED, Scoring.SIGMOID_THEN_TOP, false, 1f, Optional.empty(), groups));
        for (int row = 0; row < ROWS; row++) {
            double[] scores = scores(Scoring.SIGMOID_THEN_TOP, row);
            Comparator<Integer> best = Comparator.comparingDouble(g -> -(scores[2 * g] + scores[2 * g + 1]));
            List<Integer> kept =
                    IntStream.range(0, 4).boxed().sorted(best).limit(2).toList();
            int[] order = IntStream.of(order(scores, false, 0, EXPERTS))
                    .filter(i -> kept.contains(i / 2))
                    .toArray();
            for (int rank = 0; rank < USED; rank++) {
                assertEquals(order[rank], (int) y.get("ids")[row * USED + rank]);
            }
        }
    }

    @Test
    void expertsReadTheRowOrTheirOwnPieceOfIt() {
        Graph.Builder graph = Graph.builder("experts");
        Value x = graph.input("x", ValueType.f32(RowSet.STEP, IN));
        Value pieces = graph.input("pieces", ValueType.f32(RowSet.STEP, USED * IN));
        Value ids = graph.input("ids", ValueType.i32(RowSet.STEP, USED));
        Value mix = graph.input("mix", ValueType.f32(RowSet.STEP, USED));
        Op op = new Op.MoeMatMul(weight("experts"), Optional.of(weight("bias")));
        Value shared = graph.add("shared", op, x, ids);
        graph.output("shared", shared)
                .output("own", graph.add("own", op, pieces, ids))
                .output("combined", graph.add("combine", new Op.MoeCombine(), shared, mix));
        float[] row = TestData.random(25, ROWS * IN);
        float[] own = TestData.random(26, ROWS * USED * IN);
        float[] factors = TestData.random(27, ROWS * USED);
        int[] chosen = {1, 5, 7, 0, 1, 2, 3, 3, 4, 6, 5, 0, 7, 0, 1};
        float[] asFloats = new float[chosen.length];
        for (int i = 0; i < chosen.length; i++) {
            asFloats[i] = Float.intBitsToFloat(chosen[i]);
        }
        try (GraphRunner runner = new GraphRunner(graph.build(), model, Precision.REFERENCE);
                var state = runner.newState()) {
            var y = runner.run(
                    List.of(GraphRunner.Part.chain(state, ROWS)),
                    Named.of("x", row, "pieces", own, "ids", asFloats, "mix", factors));
            for (int task = 0; task < ROWS * USED; task++) {
                for (int o = 0; o < OUT; o++) {
                    assertEquals(product(chosen[task], o, row, task / USED), y.get("shared")[task * OUT + o], 1e-5);
                    assertEquals(product(chosen[task], o, own, task), y.get("own")[task * OUT + o], 1e-5);
                }
            }
            for (int r = 0; r < ROWS; r++) {
                for (int o = 0; o < OUT; o++) {
                    double sum = 0;
                    for (int rank = 0; rank < USED; rank++) {
                        int task = r * USED + rank;
                        sum += factors[task] * product(chosen[task], o, row, r);
                    }
                    assertEquals(sum, y.get("combined")[r * OUT + o], 1e-4);
                }
            }
        }
    }

    private double product(int expert, int o, float[] x, int row) {
        double sum = bias[expert * OUT + o];
        for (int j = 0; j < IN; j++) {
            sum += (double) weights[(expert * OUT + o) * IN + j] * x[row * IN + j];
        }
        return sum;
    }
}
