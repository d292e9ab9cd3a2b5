package dev.tandem.runtime.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CandidatesTests {
    private static final long SEED = 20260101;

    @Test
    void topKEqualsTheBeginningOfASort() {
        Random random = new Random(SEED);
        for (int round = 0; round < 200; round++) {
            int vocabulary = 1 + random.nextInt(3000);
            float[] row = round % 2 == 0 ? Rows.random(random, vocabulary) : Rows.tied(random, vocabulary);
            int k = 1 + random.nextInt(vocabulary);
            Candidates candidates = Rows.candidates(row);
            candidates.keepBest(k);
            assertEquals(Rows.ranked(row).subList(0, k), Rows.ids(candidates), "seed " + SEED + ", round " + round);
        }
    }

    @Test
    void topKAboveTheVocabularyKeepsAll() {
        float[] row = {1f, 3f, 2f};
        Candidates candidates = Rows.candidates(row);
        candidates.keepBest(1000);
        assertEquals(List.of(1, 2, 0), Rows.ids(candidates));
    }

    @Test
    void rankingPutsNaNLastAndZerosTogether() {
        float[] row = {Float.NaN, -0f, 0f, Float.NEGATIVE_INFINITY, -1f, Float.POSITIVE_INFINITY, -Float.NaN, 0f};
        Candidates candidates = Rows.candidates(row);
        candidates.keepBest(row.length);
        assertEquals(List.of(5, 1, 2, 7, 4, 3, 0, 6), Rows.ids(candidates));
    }

    @Test
    void rankedCandidatesKeepTheirLogits() {
        Random random = new Random(SEED);
        float[] row = Rows.random(random, 5000);
        for (int k : new int[] {1, 40, 1024, 1025, 5000}) {
            Candidates candidates = Rows.candidates(row);
            candidates.keepBest(k);
            for (int i = 0; i < k; i++) {
                assertEquals(row[candidates.id(i)], candidates.logit(i));
            }
        }
    }

    @Test
    void massKeptIsTheShortestBeginningThatSuffices() {
        Random random = new Random(SEED);
        for (int round = 0; round < 200; round++) {
            int vocabulary = 1 + random.nextInt(3000);
            float[] row = round % 4 == 0 ? Rows.tied(random, vocabulary) : Rows.random(random, vocabulary);
            double share = random.nextDouble();
            Candidates candidates = Rows.candidates(row);
            candidates.keepMass(share);

            List<Integer> ranked = Rows.ranked(row);
            assertEquals(ranked.subList(0, candidates.size()), Rows.ids(candidates), "round " + round);
            double[] probabilities = Rows.softmax(row, ranked, 1);
            double mass = Rows.ids(candidates).stream()
                    .mapToDouble(id -> probabilities[id])
                    .sum();
            double last = probabilities[ranked.get(candidates.size() - 1)];
            String where = "seed " + SEED + ", round " + round + ", share " + share + ", mass " + mass;
            assertTrue(mass >= share - 1e-5, where);
            assertTrue(mass - last < share + 1e-5, where);
        }
    }

    @Test
    void massOfAFlatRowNeedsMoreThanTheFirstGuesses() {
        int vocabulary = 5000;
        Candidates candidates = Rows.candidates(new float[vocabulary]);
        candidates.keepMass(0.9);
        assertEquals(IntStream.range(0, 4500).boxed().toList(), Rows.ids(candidates));
    }

    @Test
    void massOfAllLeavesOutImpossibleCandidates() {
        float none = Float.NEGATIVE_INFINITY;
        Candidates candidates = Rows.candidates(new float[] {none, 1f, none, 2f, none});
        candidates.keepMass(Math.nextUp(1.0)); // what an unlucky rounding of the whole amounts to
        assertEquals(List.of(3, 1), Rows.ids(candidates));
    }

    @Test
    void anInfiniteLogitTakesTheWholeMass() {
        Candidates candidates = Rows.candidates(new float[] {1f, Float.POSITIVE_INFINITY, 2f});
        candidates.keepMass(0.999);
        assertEquals(List.of(1), Rows.ids(candidates));
    }

    @Test
    void aRowReplacesTheOneBefore() {
        Candidates candidates = Rows.candidates(new float[] {1f, 2f, 3f, 4f});
        candidates.keepBest(2);
        candidates.load(new float[] {9f, 7f, 8f, 6f}, 1, 3);
        assertEquals(List.of(0, 1, 2), Rows.ids(candidates));
        assertEquals(8f, candidates.logit(1));
    }
}
