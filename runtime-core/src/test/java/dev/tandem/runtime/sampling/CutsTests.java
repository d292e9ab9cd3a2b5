package dev.tandem.runtime.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.numeric.CounterRandom;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CutsTests {
    private static final long SEED = 20260105;
    private static final float NONE = Float.NEGATIVE_INFINITY;

    private static Set<Integer> left(SamplerStage stage, float... row) {
        return new TreeSet<>(Rows.ids(applied(stage, 0, row)));
    }

    private static Candidates applied(SamplerStage stage, long position, float... row) {
        Candidates candidates = Rows.candidates(row);
        stage.apply(candidates, TokenHistory.EMPTY, position);
        return candidates;
    }

    private static float[] logits(double... probabilities) {
        float[] row = new float[probabilities.length];
        for (int id = 0; id < row.length; id++) {
            row[id] = (float) Math.log(probabilities[id]);
        }
        return row;
    }

    private static SamplerStage xtc(float probability, float threshold) {
        return new ExcludeTopChoices(new XtcOptions(probability, threshold), SEED);
    }

    @Test
    void sigmasCountFromTheGreatestLogit() {
        // Mean 1, standard deviation 1.
        assertEquals(Set.of(1), left(new TopNSigma(1.9f), 0f, 2f));
        assertEquals(Set.of(0, 1), left(new TopNSigma(2f), 0f, 2f));
        assertEquals(Set.of(1, 3), left(new TopNSigma(2f), NONE, 0f, NONE, 2f), "impossible ids do not widen sigma");
        assertEquals(Set.of(0, 1, 2), left(new TopNSigma(0.1f), 3f, 3f, 3f), "no deviation keeps the ties");
    }

    @Test
    void typicalTakesTheSurpriseNearestToTheEntropyFirst() {
        // Surprises 1, 2, 3 and 3 bits, entropy 1.75 bits.
        float[] row = logits(0.5, 0.25, 0.125, 0.125);
        assertEquals(Set.of(1), left(new TypicalCut(0f), row));
        assertEquals(Set.of(1), left(new TypicalCut(0.2f), row));
        assertEquals(Set.of(0, 1), left(new TypicalCut(0.7f), row));
        assertEquals(Set.of(0, 1, 2), left(new TypicalCut(0.8f), row), "of a tie the first");
        assertEquals(Set.of(3), left(new TypicalCut(0.99f), NONE, NONE, NONE, 1f), "impossible ids are not typical");
    }

    @Test
    void xtcLeavesTheLeastLikelyOfTheLikely() {
        float[] row = logits(0.15, 0.5, 0.05, 0.3);
        assertEquals(Set.of(0, 2), left(xtc(1f, 0.1f), row));
        assertEquals(Set.of(0, 2, 3), left(xtc(1f, 0.2f), row));
        assertEquals(Set.of(0, 1, 2, 3), left(xtc(1f, 0.4f), row), "one likely id alone is kept");
        assertEquals(Set.of(2), left(xtc(1f, 0.1f), 1f, 1f, 1f), "of a tie the highest id");
    }

    @Test
    void xtcHappensWhereTheSecondRandomNumberOfThePositionIsBelowItsProbability() {
        int happened = 0;
        for (int position = 0; position < 1000; position++) {
            boolean excluded = applied(xtc(0.3f, 0.1f), position, 0f, 0f).size() == 1;
            assertEquals(CounterRandom.uniform(SEED, position, 1) < 0.3f, excluded, "position " + position);
            happened += excluded ? 1 : 0;
        }
        assertTrue(happened > 250 && happened < 350, "of 1000: " + happened);
    }

    @Test
    void cutsKeepWhatAPlainReferenceKeeps() {
        Random random = new Random(SEED);
        for (int round = 0; round < 300; round++) {
            float[] row = Rows.random(random, 2 + random.nextInt(round % 3 == 0 ? 3000 : 60));
            List<Integer> ranked = Rows.ranked(row);
            float share = random.nextFloat();
            float threshold = random.nextFloat() * 0.2f;
            String where = "seed " + SEED + ", round " + round;
            assertEquals(PlainStages.withinSigmas(row, ranked, 3 * share), left(new TopNSigma(3 * share), row), where);
            assertEquals(PlainStages.typical(row, ranked, share), left(new TypicalCut(share), row), where);
            assertEquals(PlainStages.withoutTopChoices(row, ranked, threshold), left(xtc(1f, threshold), row), where);
        }
    }

    @Test
    void cutsGoByTheCandidatesThatAreLeft() {
        Random random = new Random(SEED);
        for (int round = 0; round < 100; round++) {
            float[] row = Rows.random(random, 100);
            List<Integer> best = Rows.ranked(row).subList(0, 20);
            for (SamplerStage stage : List.of(new TopNSigma(1f), new TypicalCut(0.6f), xtc(1f, 0.05f))) {
                Candidates candidates = Rows.candidates(row);
                candidates.keepBest(20);
                stage.apply(candidates, TokenHistory.EMPTY, 0);
                Set<Integer> expected = switch (stage) {
                    case TopNSigma sigma -> PlainStages.withinSigmas(row, best, 1);
                    case TypicalCut typical -> PlainStages.typical(row, best, 0.6f);
                    default -> PlainStages.withoutTopChoices(row, best, 0.05f);
                };
                assertEquals(expected, new TreeSet<>(Rows.ids(candidates)), "seed " + SEED + ", round " + round);
            }
        }
    }

    @Test
    void anInfiniteLogitIsKeptByEveryCut() {
        float[] row = {1f, Float.POSITIVE_INFINITY, 2f};
        for (SamplerStage stage : List.of(new TopNSigma(1f), new TypicalCut(0.5f), xtc(1f, 0.1f))) {
            assertTrue(left(stage, row).contains(1), stage.toString());
        }
    }

    private static float factor(float temperature, float range, float exponent, float... row) {
        SamplerStage stage = new Temperature(temperature, new DynamicTemperature(range, exponent));
        return applied(stage, 0, row).logit(0) / row[0];
    }

    @Test
    void temperatureFollowsTheEntropy() {
        assertEquals(1 / 1.5f, factor(1f, 0.5f, 1f, 2f, 2f, 2f, 2f), 1e-6f, "a flat row has the highest");
        assertEquals(1 / 0.5f, factor(1f, 0.5f, 1f, 90f, 1f, 1f), 1e-6f, "a sure row has the lowest");
        assertEquals(1 / 0.001f, factor(1f, 2f, 1f, 90f, 1f, 1f), 1e-2f, "which is never below 0.001");
        assertEquals(1f, factor(1f, 0.5f, 1f, 5f), 1e-6f, "one candidate alone has no entropy");
        assertEquals(2f, factor(0.5f, 0f, 3f, 5f, 1f), 1e-6f, "without a range it is fixed");
        // Two of four ids share the probability: entropy ln 2 of ln 4, a half; its square a quarter.
        assertEquals(1 / 0.75f, factor(1f, 0.5f, 2f, 50f, 50f, -50f, -50f), 1e-5f);
    }

    @Test
    void temperatureIsThatOfAPlainReference() {
        Random random = new Random(SEED);
        for (int round = 0; round < 200; round++) {
            float[] row = Rows.random(random, 2 + random.nextInt(500));
            float temperature = 0.5f + random.nextFloat();
            float range = random.nextFloat() * 0.5f;
            float exponent = 0.2f + 2 * random.nextFloat();
            double expected = PlainStages.dynamicTemperature(
                    row, Rows.ranked(row), temperature - (double) range, temperature + (double) range, exponent);
            assertEquals(1 / expected, factor(temperature, range, exponent, row), 1e-4, "round " + round);
        }
    }
}
