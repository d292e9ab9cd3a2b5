package dev.tandem.runtime.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RankingTests {
    private static final long SEED = 20260107;

    @Test
    void doesNotDependOnTheOrderOfThePairs() {
        Random random = new Random(SEED);
        for (int round = 0; round < 200; round++) {
            int n = 1 + random.nextInt(2000);
            float[] row = Rows.tied(random, n);
            List<Integer> shuffled =
                    new ArrayList<>(IntStream.range(0, n).boxed().toList());
            Collections.shuffle(shuffled, random);
            int[] ids = shuffled.stream().mapToInt(Integer::intValue).toArray();
            float[] values = new float[n];
            for (int i = 0; i < n; i++) {
                values[i] = row[ids[i]];
            }
            int k = 1 + random.nextInt(n);
            Ranking ranking = new Ranking();
            ranking.rank(values, ids, n, k);
            List<Integer> found = IntStream.range(0, k).map(ranking::id).boxed().toList();
            assertEquals(Rows.ranked(row).subList(0, k), found, "seed " + SEED + ", round " + round);
        }
    }

    @Test
    void numbersDisplaceNaN() {
        float[] values = {Float.NaN, Float.NaN, 1f, Float.NEGATIVE_INFINITY, 2f};
        Ranking ranking = new Ranking();
        ranking.rank(values, new int[] {0, 1, 2, 3, 4}, 5, 2);
        assertEquals(4, ranking.id(0));
        assertEquals(2, ranking.id(1));
        assertEquals(2f, ranking.value(0));
    }
}
