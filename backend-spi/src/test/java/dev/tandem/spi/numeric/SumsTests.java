package dev.tandem.spi.numeric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SumsTests {
    private static final long SEED = 11;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 31, 32, 33, 63, 64, 100, 1000, 4097})
    void sumsHaveTheBitsOfTheRuleWrittenAsRecursion(int n) {
        float[] a = gaussians(n + 3, SEED);
        float[] b = gaussians(n + 5, SEED + 1);
        float[] ones = new float[n + 5];
        Arrays.fill(ones, 1f);
        assertEquals(lanes(a, 3, ones, 5, n, 0, 1), Sums.sum(a, 3, n));
        assertEquals(lanes(a, 3, b, 5, n, 0, 1), Sums.dot(a, 3, b, 5, n));
        assertEquals(lanes(a, 3, a, 3, n, 0, 1), Sums.sumOfSquares(a, 3, n));
    }

    /** Sum over the partials ≡ lane mod step: the butterfly read from its last addition backwards. */
    private static float lanes(float[] a, int ao, float[] b, int bo, int n, int lane, int step) {
        if (step < Sums.PARTIALS) {
            return lanes(a, ao, b, bo, n, lane, step * 2) + lanes(a, ao, b, bo, n, lane + step, step * 2);
        }
        float partial = 0f;
        for (int i = lane; i < n; i += Sums.PARTIALS) {
            partial = Math.fma(a[ao + i], b[bo + i], partial);
        }
        return partial;
    }

    @Test
    void orderOfSummationShowsInTheResult() {
        float[] x = new float[64];
        x[0] = 0x1p24f;
        x[32] = 1f;
        assertEquals(0x1p24f, Sums.sum(x, 0, 64), "same partial: the one is lost");
        x[32] = 0f;
        x[16] = 1f;
        x[17] = 1f;
        assertEquals(0x1p24f, Sums.sum(x, 0, 64), "each one meets the great number alone or too late");
        x[1] = 1f;
        x[16] = 0f;
        assertEquals(0x1p24f + 2f, Sums.sum(x, 0, 64), "1 + 1 is made in lane 1 before it meets lane 0");
    }

    @Test
    void productsAreFused() {
        float[] a = {1f + 0x1p-12f};
        assertEquals((float) ((double) a[0] * a[0]), Sums.dot(a, 0, a, 0, 1));
        float[] b = new float[64];
        b[0] = -(a[0] * a[0]);
        b[32] = a[0];
        float[] c = new float[64];
        c[0] = 1f;
        c[32] = a[0];
        assertEquals(0x1p-24f, Sums.dot(b, 0, c, 0, 64), "rounding the product first would give 0");
    }

    @Test
    void logSumExpIsTheLogarithmOfTheSum() {
        float[] logits = gaussians(151_936, SEED);
        double sum = 0;
        for (float logit : logits) {
            sum += StrictMath.exp(logit);
        }
        assertEquals(StrictMath.log(sum), Sums.logSumExp(logits, 0, logits.length), 2e-6);
        assertEquals(1000f + (float) StrictMath.log(2), Sums.logSumExp(new float[] {1000f, 1000f}, 0, 2));
    }

    @Test
    void logSumExpAddsChunksOf4096InOrder() {
        float[] logits = new float[3 * Sums.VOCABULARY_CHUNK];
        Arrays.fill(logits, Float.NEGATIVE_INFINITY);
        logits[0] = 0f;
        for (int id = Sums.VOCABULARY_CHUNK; id < logits.length; id += Sums.PARTIALS) {
            logits[id] = -17f; // less than half an ulp of 1: lost one by one, not as the sum of a chunk
        }
        float small = 0f;
        for (int i = 0; i < Sums.VOCABULARY_CHUNK / Sums.PARTIALS; i++) {
            small += Functions.exp(-17f);
        }
        float expected = Functions.log((1f + small) + small);
        assertTrue(expected > 1e-5f);
        assertEquals(expected, Sums.logSumExp(logits, 0, logits.length));
    }

    @Test
    void logSumExpOfNothingOrOfInfinitiesIsDefined() {
        float infinity = Float.POSITIVE_INFINITY;
        assertEquals(-infinity, Sums.logSumExp(new float[0], 0, 0));
        assertEquals(-infinity, Sums.logSumExp(new float[] {-infinity, -infinity}, 0, 2));
        assertEquals(infinity, Sums.logSumExp(new float[] {-infinity, infinity, 3f}, 0, 3));
        assertTrue(Float.isNaN(Sums.logSumExp(new float[] {1f, Float.NaN, infinity}, 0, 3)));
    }

    @Test
    void argMaxTakesTheLowerIdOnATieAndNaNLast() {
        assertEquals(1, Sums.argMax(new float[] {1f, 7f, 7f, 2f}, 0, 4));
        assertEquals(0, Sums.argMax(new float[] {-0f, 0f}, 0, 2));
        assertEquals(2, Sums.argMax(new float[] {Float.NaN, Float.NaN, Float.NEGATIVE_INFINITY}, 0, 3));
        assertEquals(0, Sums.argMax(new float[] {Float.NaN, Float.NaN}, 0, 2));
        assertEquals(1, Sums.argMax(new float[] {99f, 1f, 2f}, 1, 2));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 40, 999, 1000})
    void topKIsTheStartOfTheSortedOrder(int k) {
        Random random = new Random(SEED);
        float[] x = new float[1003];
        for (int i = 0; i < x.length; i++) {
            x[i] = random.nextInt(10) == 0 ? Float.NaN : random.nextInt(60) - 30; // many ties
        }
        int[] sorted = IntStream.range(0, 1000)
                .boxed()
                .sorted(Comparator.<Integer, Boolean>comparing(id -> Float.isNaN(x[3 + id]))
                        .thenComparingDouble(id -> -x[3 + id])
                        .thenComparingInt(id -> id))
                .limit(k)
                .mapToInt(Integer::intValue)
                .toArray();
        assertArrayEquals(sorted, Sums.topK(x, 3, 1000, k), () -> "seed " + SEED);
        assertEquals(sorted[0], Sums.argMax(x, 3, 1000));
    }

    @Test
    void rankingIsATotalOrder() {
        float[] values = {Float.NaN, Float.NEGATIVE_INFINITY, -1f, -0f, 0f, 1f, Float.POSITIVE_INFINITY, Float.NaN};
        for (int i = 0; i < values.length; i++) {
            for (int j = 0; j < values.length; j++) {
                int forth = Sums.compareRank(values[i], i, values[j], j);
                int back = Sums.compareRank(values[j], j, values[i], i);
                assertEquals(Integer.signum(forth), -Integer.signum(back));
                assertEquals(i == j, forth == 0);
            }
        }
    }

    @Test
    void refusesRangesThatDoNotExist() {
        float[] x = new float[4];
        assertThrows(IndexOutOfBoundsException.class, () -> Sums.sum(x, 2, 3));
        assertThrows(IndexOutOfBoundsException.class, () -> Sums.dot(x, 0, x, -1, 2));
        assertThrows(IllegalArgumentException.class, () -> Sums.argMax(x, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> Sums.topK(x, 0, 4, 0));
        assertThrows(IllegalArgumentException.class, () -> Sums.topK(x, 0, 4, 5));
    }

    private static float[] gaussians(int n, long seed) {
        Random random = new Random(seed);
        float[] x = new float[n];
        for (int i = 0; i < n; i++) {
            x[i] = (float) random.nextGaussian();
        }
        return x;
    }
}
