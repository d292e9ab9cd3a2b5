package dev.tandem.runtime.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LogProbabilitiesTests {
    private static final long SEED = 20260105;

    @Test
    void matchTheSoftmaxOfTheRow() {
        Random random = new Random(SEED);
        for (int round = 0; round < 20; round++) {
            int vocabulary = 1 + random.nextInt(10_000);
            float[] row = Rows.random(random, vocabulary);
            float[] padded = new float[vocabulary + 5];
            System.arraycopy(row, 0, padded, 3, vocabulary);
            List<Integer> ranked = Rows.ranked(row);
            double[] probabilities = Rows.softmax(row, ranked, 1);
            List<LogProbabilities.Entry> top = LogProbabilities.top(padded, 3, vocabulary, 20);
            assertEquals(Math.min(20, vocabulary), top.size());
            for (int rank = 0; rank < top.size(); rank++) {
                LogProbabilities.Entry entry = top.get(rank);
                assertEquals(ranked.get(rank), entry.id(), "seed " + SEED + ", round " + round);
                assertEquals(Math.log(probabilities[entry.id()]), entry.logProbability(), 1e-5);
                assertEquals(entry.logProbability(), LogProbabilities.of(padded, 3, vocabulary, entry.id()));
            }
        }
    }

    @Test
    void aTieGoesToTheLowerId() {
        List<LogProbabilities.Entry> top = LogProbabilities.top(new float[] {0f, 1f, 1f, 1f}, 0, 4, 2);
        assertEquals(List.of(1, 2), top.stream().map(LogProbabilities.Entry::id).toList());
    }

    @Test
    void anImpossibleTokenHasMinusInfinity() {
        float[] row = {Float.NEGATIVE_INFINITY, 0f};
        assertEquals(Float.NEGATIVE_INFINITY, LogProbabilities.of(row, 0, 2, 0));
        assertEquals(0f, LogProbabilities.of(row, 0, 2, 1));
    }

    @Test
    void askingForNoneGivesNone() {
        assertEquals(List.of(), LogProbabilities.top(new float[] {1f}, 0, 1, 0));
    }

    @Test
    void refusesAnIdOutsideTheVocabulary() {
        assertThrows(IndexOutOfBoundsException.class, () -> LogProbabilities.of(new float[] {1f, 2f}, 0, 1, 1));
    }
}
