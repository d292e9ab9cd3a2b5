package dev.tandem.runtime.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.numeric.CounterRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MirostatTests {
    private static final long SEED = 20260107;
    private static final int FIRST = 5;

    private static SamplingOptions options(float tau, float eta) {
        return SamplingOptions.builder()
                .temperature(1f)
                .mirostat(new MirostatOptions(2, tau, eta))
                .seed(SEED)
                .build();
    }

    /** The tokens that a plain implementation chooses. */
    private static List<Integer> plain(List<float[]> rows, double tau, double eta) {
        List<Integer> chosen = new ArrayList<>();
        double mu = 2 * tau;
        for (int i = 0; i < rows.size(); i++) {
            float[] row = rows.get(i);
            List<Integer> ranked = Rows.ranked(row);
            double[] p = Rows.softmax(row, ranked, 1);
            double limit = mu;
            List<Integer> kept = new ArrayList<>(ranked.stream()
                    .filter(id -> -Math.log(p[id]) / Math.log(2) <= limit)
                    .toList());
            if (kept.isEmpty()) {
                kept.add(ranked.getFirst());
            }
            double[] q = Rows.softmax(row, kept, 1);
            double u = CounterRandom.uniform(SEED, FIRST + i, 0);
            int rank = 0;
            double mass = q[kept.getFirst()];
            while (mass < u && rank + 1 < kept.size()) {
                mass += q[kept.get(++rank)];
            }
            chosen.add(kept.get(rank));
            mu -= eta * (-Math.log(q[kept.get(rank)]) / Math.log(2) - tau);
        }
        return chosen;
    }

    @Test
    void tokensAreThoseOfAPlainReference() {
        Random random = new Random(SEED);
        for (float tau : new float[] {0.5f, 3f, 6f}) {
            List<float[]> rows = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                rows.add(Rows.random(random, 200));
            }
            Sampler sampler = new Sampler(options(tau, 0.2f));
            List<Integer> chosen = new ArrayList<>();
            for (int i = 0; i < rows.size(); i++) {
                chosen.add(sampler.sample(rows.get(i), 0, 200, TokenHistory.EMPTY, FIRST + i));
            }
            assertEquals(plain(rows, tau, 0.2), chosen, "tau " + tau + ", seed " + SEED);
        }
    }

    @Test
    void cutsHaveNoEffectBesides() {
        float[] row = new float[50];
        SamplingOptions narrow =
                options(5f, 0.1f).toBuilder().topK(1).topP(0f).minP(1f).build();
        long distinct = IntStream.range(0, 200)
                .map(position -> new Sampler(narrow).sample(row, 0, 50, TokenHistory.EMPTY, position))
                .distinct()
                .count();
        assertTrue(distinct > 30, "only " + distinct + " ids");
    }

    @Test
    void aPositionDrawnTwiceOrLeftOutIsRefused() {
        Sampler sampler = new Sampler(options(5f, 0.1f));
        float[] row = {1f, 2f};
        sampler.sample(row, 0, 2, TokenHistory.EMPTY, 3);
        assertThrows(IllegalStateException.class, () -> sampler.sample(row, 0, 2, TokenHistory.EMPTY, 3));
        assertThrows(IllegalStateException.class, () -> sampler.sample(row, 0, 2, TokenHistory.EMPTY, 5));
        sampler.sample(row, 0, 2, TokenHistory.EMPTY, 4);
    }
}
