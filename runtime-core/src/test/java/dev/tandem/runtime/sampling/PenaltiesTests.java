package dev.tandem.runtime.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class PenaltiesTests {
    private static final long SEED = 20260103;

    private static float[] penalised(SamplingOptions options, float[] row, int... history) {
        Candidates candidates = Rows.candidates(row);
        new Penalties(options).apply(candidates, TokenHistory.of(history, history.length), 0);
        float[] logits = new float[row.length];
        for (int id = 0; id < row.length; id++) {
            logits[id] = candidates.logit(id);
        }
        return logits;
    }

    private static void assertLogits(float[] actual, float... expected) {
        assertEquals(expected.length, actual.length);
        for (int id = 0; id < expected.length; id++) {
            assertEquals(expected[id], actual[id], "id " + id);
        }
    }

    @Test
    void repetitionDividesPositiveAndMultipliesNegativeLogits() {
        SamplingOptions options = SamplingOptions.builder().repeatPenalty(2f).build();
        assertLogits(penalised(options, new float[] {4f, -4f, 0f, 4f}, 0, 1, 2, 0), 2f, -8f, 0f, 4f);
    }

    @Test
    void presenceCountsOnceAndFrequencyEachTime() {
        SamplingOptions options = SamplingOptions.builder()
                .presencePenalty(0.5f)
                .frequencyPenalty(0.25f)
                .build();
        assertLogits(penalised(options, new float[] {1f, 1f, 1f}, 2, 0, 2, 2), 0.25f, 1f, -0.25f);
    }

    @Test
    void onlyTheLastIdsCount() {
        SamplingOptions.Builder builder = SamplingOptions.builder().presencePenalty(1f);
        float[] row = {5f, 5f, 5f, 5f};
        assertLogits(penalised(builder.repeatLastN(2).build(), row, 0, 1, 2, 3), 5f, 5f, 4f, 4f);
        assertLogits(penalised(builder.repeatLastN(-1).build(), row, 0, 1, 2, 3), 4f, 4f, 4f, 4f);
        assertLogits(penalised(builder.repeatLastN(100).build(), row, 3), 5f, 5f, 5f, 4f);
        assertLogits(penalised(builder.repeatLastN(0).build(), row, 0, 1, 2, 3), 5f, 5f, 5f, 5f);
    }

    @Test
    void bannedIdsStayBanned() {
        SamplingOptions options = SamplingOptions.builder()
                .repeatPenalty(1.5f)
                .presencePenalty(-3f)
                .build();
        assertLogits(penalised(options, new float[] {Float.NEGATIVE_INFINITY}, 0), Float.NEGATIVE_INFINITY);
    }

    @Test
    void matchesThePlainFormulaOnRandomRows() {
        Random random = new Random(SEED);
        for (int round = 0; round < 200; round++) {
            float[] row = Rows.random(random, 30);
            int[] history = random.ints(random.nextInt(60), 0, 30).toArray();
            int lastN = random.nextInt(61) - 1;
            SamplingOptions options = SamplingOptions.builder()
                    .repeatPenalty(0.5f + random.nextFloat())
                    .presencePenalty(random.nextFloat() * 2 - 1)
                    .frequencyPenalty(random.nextFloat() * 2 - 1)
                    .repeatLastN(lastN)
                    .build();
            float[] logits = penalised(options, row, history);
            for (int id = 0; id < row.length; id++) {
                double expected = plain(options, row[id], occurrences(history, lastN, id));
                assertEquals(expected, logits[id], 1e-4, "seed " + SEED + ", round " + round + ", id " + id);
            }
        }
    }

    private static int occurrences(int[] history, int lastN, int id) {
        int count = 0;
        for (int i = 0; i < history.length; i++) {
            boolean inWindow = lastN < 0 || i >= history.length - lastN;
            count += inWindow && history[i] == id ? 1 : 0;
        }
        return count;
    }

    private static double plain(SamplingOptions options, double logit, int count) {
        if (count == 0) {
            return logit;
        }
        double repeated = logit > 0 ? logit / options.repeatPenalty() : logit * options.repeatPenalty();
        return repeated - count * (double) options.frequencyPenalty() - options.presencePenalty();
    }
}
