package dev.tandem.runtime.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.UsageException;
import dev.tandem.spi.numeric.CounterRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SamplerTests {
    private static final long SEED = 20260102;

    private static int sample(SamplingOptions options, float[] row, TokenHistory history, long position) {
        return new Sampler(options).sample(row, 0, row.length, history, position);
    }

    private static int sample(SamplingOptions options, float... row) {
        return sample(options, row, TokenHistory.EMPTY, 0);
    }

    /** Every id that some position draws. */
    private static Set<Integer> drawn(SamplingOptions options, float[] row, int draws) {
        Sampler sampler = new Sampler(options);
        Set<Integer> ids = new TreeSet<>();
        for (int position = 0; position < draws; position++) {
            ids.add(sampler.sample(row, 0, row.length, TokenHistory.EMPTY, position));
        }
        return ids;
    }

    private static SamplingOptions.Builder uncut() {
        return SamplingOptions.builder().temperature(1f).topK(0).topP(1f).minP(0f);
    }

    @Test
    void defaultTakesTheGreatestLogitAndTheLowerIdOnATie() {
        assertEquals(2, sample(SamplingOptions.DEFAULTS, 1f, -4f, 5f, 5f, 2f));
        assertEquals(0, sample(SamplingOptions.DEFAULTS, -0f, 0f));
        assertEquals(1, sample(SamplingOptions.DEFAULTS, Float.NEGATIVE_INFINITY, -1e30f, Float.NEGATIVE_INFINITY));
    }

    @Test
    void readsTheRowAtItsOffsetAndLeavesItAlone() {
        float[] rows = {9f, 9f, 1f, 2f, 3f, 9f};
        float[] before = rows.clone();
        SamplingOptions options =
                uncut().logitBias(Map.of(0, 50f)).repeatPenalty(2f).build();
        assertEquals(0, new Sampler(options).sample(rows, 2, 3, TokenHistory.of(new int[] {1}, 1), 0));
        assertEquals(2, new Sampler(SamplingOptions.DEFAULTS).sample(rows, 2, 3, TokenHistory.EMPTY, 0));
        assertArrayEquals(before, rows);
    }

    @Test
    void sameArgumentsGiveTheSameTokenInAnyOrderAndInstance() {
        Random random = new Random(SEED);
        SamplingOptions options = SamplingOptions.builder()
                .temperature(1.5f)
                .repeatPenalty(1.2f)
                .frequencyPenalty(0.1f)
                .seed(7)
                .build();
        int count = 50;
        float[][] rows = new float[count][];
        TokenHistory[] histories = new TokenHistory[count];
        int[] expected = new int[count];
        for (int i = 0; i < count; i++) {
            rows[i] = Rows.random(random, 500 + random.nextInt(500));
            int[] ids = random.ints(random.nextInt(100), 0, 500).toArray();
            histories[i] = TokenHistory.of(ids, ids.length);
            expected[i] = sample(options, rows[i], histories[i], i);
        }
        Sampler shared = new Sampler(options);
        for (int draw = 0; draw < 4 * count; draw++) {
            int i = random.nextInt(count);
            assertEquals(expected[i], shared.sample(rows[i], 0, rows[i].length, histories[i], i), "seed " + SEED);
        }
        assertTrue(Arrays.stream(expected).distinct().count() > count / 2, "the draws should differ from each other");
    }

    @Test
    void aSpeculatedPathCountsLikeCommittedTokens() {
        Random random = new Random(SEED);
        SamplingOptions options =
                uncut().repeatPenalty(1.7f).presencePenalty(1f).repeatLastN(8).build();
        for (int round = 0; round < 50; round++) {
            float[] row = Rows.random(random, 20);
            int[] ids = random.ints(12, 0, 20).toArray();
            int committed = random.nextInt(ids.length + 1);
            TokenHistory path = TokenHistory.of(ids, committed)
                    .followedBy(Arrays.copyOfRange(ids, committed, ids.length), ids.length - committed);
            assertEquals(
                    sample(options, row, TokenHistory.of(ids, ids.length), round),
                    sample(options, row, path, round),
                    "seed " + SEED + ", round " + round);
        }
    }

    @Test
    void cutsKeepWhatAPlainReferenceKeeps() {
        Random random = new Random(SEED);
        for (int round = 0; round < 40; round++) {
            float[] row = Rows.random(random, 2 + random.nextInt(60));
            SamplingOptions options = SamplingOptions.builder()
                    .temperature(50f) // so hot that each survivor is drawn
                    .topK(round % 3 == 0 ? 0 : 1 + random.nextInt(30))
                    .topP(round % 4 == 1 ? 1f : random.nextFloat())
                    .minP(round % 5 == 2 ? 0f : random.nextFloat() * 0.2f)
                    .seed(round)
                    .build();
            Set<Integer> expected = new TreeSet<>(Rows.survivors(row, options));
            assertEquals(expected, drawn(options, row, 3000), "seed " + SEED + ", round " + round + ": " + options);
        }
    }

    @Test
    void temperatureDoesNotChangeWhichCandidatesTheCutsKeep() {
        float[] row = {2f, 1f, 0f, -1f};
        // Probabilities 0.64, 0.24, 0.09, 0.03: the first two reach 0.8. At temperature 50 four would be needed.
        SamplingOptions options = uncut().temperature(50f).topP(0.8f).build();
        assertEquals(Set.of(0, 1), drawn(options, row, 500));
    }

    @Test
    void frequenciesMatchSoftmaxAtTheTemperature() {
        Random random = new Random(SEED);
        int draws = 40_000;
        for (float temperature : new float[] {0.5f, 1f, 2f}) {
            float[] row = new float[12];
            for (int id = 0; id < row.length; id++) {
                row[id] = random.nextFloat() * 3;
            }
            Sampler sampler =
                    new Sampler(uncut().temperature(temperature).seed(SEED).build());
            int[] seen = new int[row.length];
            for (int position = 0; position < draws; position++) {
                seen[sampler.sample(row, 0, row.length, TokenHistory.EMPTY, position)]++;
            }
            double chiSquare = 0;
            double[] probabilities = Rows.softmax(row, Rows.ranked(row), temperature);
            for (int id = 0; id < row.length; id++) {
                double expected = probabilities[id] * draws;
                chiSquare += Math.pow(seen[id] - expected, 2) / expected;
            }
            // 11 degrees of freedom: 31.3 is exceeded once in 1,000 fair experiments.
            assertTrue(chiSquare < 31.3, "chi-square " + chiSquare + " at temperature " + temperature);
        }
    }

    @Test
    void drawWalksTheRankingWithTheRandomNumberOfThePosition() {
        Random random = new Random(SEED);
        float[] row = Rows.random(random, 300);
        SamplingOptions options = uncut().temperature(1.3f).seed(99).build();
        List<Integer> ranked = Rows.ranked(row);
        double[] probabilities = Rows.softmax(row, ranked, 1.3f);
        for (int position = 0; position < 2000; position++) {
            double u = CounterRandom.uniform(99, position, 0);
            int rank = ranked.indexOf(sample(options, row, TokenHistory.EMPTY, position));
            double before = ranked.subList(0, rank).stream()
                    .mapToDouble(id -> probabilities[id])
                    .sum();
            double upTo = before + probabilities[ranked.get(rank)];
            assertTrue(before - 1e-5 <= u && u <= upTo + 1e-5, "position " + position);
        }
    }

    @Test
    void seedAndPositionChangeTheDraw() {
        float[] row = new float[1000];
        SamplingOptions options = uncut().build();
        assertTrue(drawn(options, row, 200).size() > 150, "positions should draw different ids of a flat row");
        long different = 0;
        for (int seed = 0; seed < 200; seed++) {
            SamplingOptions other = options.toBuilder().seed(seed + 1L).build();
            different += sample(options, row) == sample(other, row) ? 0 : 1;
        }
        assertTrue(different > 190, "seeds should draw different ids of a flat row: " + different);
    }

    @Test
    void vanishingTemperatureIsGreedyButForTies() {
        float[] row = {1f, 2.5f, 2.4f, 2.5f, 0f};
        assertEquals(Set.of(1, 3), drawn(uncut().temperature(1e-30f).build(), row, 200));
    }

    @Test
    void topPOfZeroKeepsOne() {
        assertEquals(Set.of(1), drawn(uncut().temperature(9f).topP(0f).build(), new float[] {1f, 2f, 2f}, 200));
    }

    @Test
    void minPOfOneKeepsTheTiesOfTheGreatest() {
        float[] row = {2f, Math.nextDown(2f), 2f, 1f};
        assertEquals(Set.of(0, 2), drawn(uncut().temperature(9f).minP(1f).build(), row, 200));
    }

    @Test
    void vocabularyOfOneLeavesNoChoice() {
        SamplingOptions hot = SamplingOptions.builder().temperature(2f).build();
        assertEquals(0, sample(SamplingOptions.DEFAULTS, -3f));
        assertEquals(0, sample(hot, -3f));
    }

    @Test
    void topKAboveTheVocabularyKeepsAll() {
        SamplingOptions options = uncut().temperature(9f).topK(1_000_000).build();
        assertEquals(Set.of(0, 1, 2), drawn(options, new float[] {1f, 2f, 3f}, 200));
    }

    @Test
    void theOnlyPossibleTokenIsTaken() {
        float[] row = new float[100];
        Arrays.fill(row, Float.NEGATIVE_INFINITY);
        row[57] = -1000f;
        assertEquals(57, sample(SamplingOptions.DEFAULTS, row));
        assertEquals(Set.of(57), drawn(uncut().build(), row, 200));
        assertEquals(Set.of(57), drawn(SamplingOptions.builder().temperature(3f).build(), row, 200));
    }

    @Test
    void biasOfMinusInfinityBans() {
        Map<Integer, Float> ban = Map.of(1, Float.NEGATIVE_INFINITY);
        float[] row = {1f, 100f, 0.5f};
        assertEquals(0, sample(SamplingOptions.builder().logitBias(ban).build(), row));
        assertEquals(Set.of(0, 2), drawn(uncut().logitBias(ban).build(), row, 200));
    }

    @Test
    void biasIsAddedBeforePenalties() {
        SamplingOptions options = SamplingOptions.builder()
                .logitBias(Map.of(0, -3f))
                .repeatPenalty(2f)
                .build();
        float[] row = {2.5f, -1.1f};
        // Bias first: 2.5 − 3 = −0.5, doubled to −1, above −1.1. Penalty first: 2.5 / 2 − 3 = −1.75, below it.
        assertEquals(0, sample(options, row, TokenHistory.of(new int[] {0}, 1), 1));
    }

    @Test
    void banningEveryTokenIsRefused() {
        SamplingOptions options = SamplingOptions.builder()
                .logitBias(Map.of(0, Float.NEGATIVE_INFINITY, 1, Float.NEGATIVE_INFINITY))
                .build();
        UsageException refusal = assertThrows(UsageException.class, () -> sample(options, 1f, 2f));
        assertTrue(String.valueOf(refusal.getMessage()).contains("is -inf"), refusal::toString);
    }

    @Test
    void biasOfATokenOutsideTheVocabularyIsRefused() {
        SamplingOptions options =
                SamplingOptions.builder().logitBias(Map.of(3, 1f)).build();
        UsageException refusal = assertThrows(UsageException.class, () -> sample(options, 1f, 2f, 3f));
        assertEquals("--logit-bias names token 3, but the model's tokens are 0 to 2", refusal.getMessage());
    }

    @Test
    void aLogitThatIsNoNumberIsRefused() {
        SamplingOptions hot = SamplingOptions.builder().temperature(1f).build();
        assertThrows(IllegalArgumentException.class, () -> sample(SamplingOptions.DEFAULTS, 1f, Float.NaN, 2f));
        assertThrows(IllegalArgumentException.class, () -> sample(hot, 1f, Float.NaN, 2f));
    }

    @Test
    void firstNaNFindsTheLowestId() {
        float[] rows = {Float.NaN, 1f, Float.NaN, Float.POSITIVE_INFINITY, Float.NaN};
        assertEquals(1, Sampler.firstNaN(rows, 1, 4));
        assertEquals(-1, Sampler.firstNaN(rows, 3, 1));
    }
}
