package dev.tandem.spi.numeric;

import java.util.Objects;

/**
 * Sums in the contract's one order, and the order by which values are ranked.
 *
 * <p>The f32 rule: {@value #PARTIALS} partials start at +0; element i goes to partial i mod 32 by
 * p = fma(a, b, p); then always the butterfly p[j] += p[j + s] for s = 16, 8, 4, 2, 1; the sum is p[0]. A plain sum has
 * b = 1. An element that is absent does nothing.
 *
 * <p>The ranking: value descending, id ascending, NaN last; −0 and +0 are equal.
 */
public final class Sums {
    /** Partials of the f32 rule. */
    public static final int PARTIALS = 32;
    /** Values in one chunk of a vocabulary-sized sum. */
    public static final int VOCABULARY_CHUNK = 4096;

    private Sums() {}

    /**
     * Σ x by the f32 rule.
     *
     * @param x values
     * @param offset first value
     * @param n number of values
     * @return the sum; +0 where n is 0
     */
    public static float sum(float[] x, int offset, int n) {
        Objects.checkFromIndexSize(offset, n, x.length);
        float[] partials = new float[PARTIALS];
        for (int i = 0; i < n; i++) {
            partials[i % PARTIALS] += x[offset + i];
        }
        return butterfly(partials);
    }

    /**
     * Σ a · b by the f32 rule.
     *
     * @param a values
     * @param aOffset first value of {@code a}
     * @param b values
     * @param bOffset first value of {@code b}
     * @param n number of products
     * @return the sum; +0 where n is 0
     */
    public static float dot(float[] a, int aOffset, float[] b, int bOffset, int n) {
        Objects.checkFromIndexSize(aOffset, n, a.length);
        Objects.checkFromIndexSize(bOffset, n, b.length);
        float[] partials = new float[PARTIALS];
        int whole = n - n % PARTIALS;
        for (int i = 0; i < whole; i += PARTIALS) {
            for (int j = 0; j < PARTIALS; j++) {
                partials[j] = Math.fma(a[aOffset + i + j], b[bOffset + i + j], partials[j]);
            }
        }
        for (int i = whole; i < n; i++) {
            partials[i - whole] = Math.fma(a[aOffset + i], b[bOffset + i], partials[i - whole]);
        }
        return butterfly(partials);
    }

    /**
     * Σ x² by the f32 rule.
     *
     * @param x values
     * @param offset first value
     * @param n number of values
     * @return the sum; +0 where n is 0
     */
    public static float sumOfSquares(float[] x, int offset, int n) {
        return dot(x, offset, x, offset, n);
    }

    /**
     * The end of the f32 rule: folds 32 partials into one, in place.
     *
     * @param partials {@value #PARTIALS} partials, overwritten
     * @return their sum
     */
    public static float butterfly(float[] partials) {
        for (int distance = PARTIALS / 2; distance > 0; distance /= 2) {
            for (int j = 0; j < distance; j++) {
                partials[j] += partials[j + distance];
            }
        }
        return partials[0];
    }

    /**
     * ln Σ exp(x), for a vocabulary: m + log(Σ exp(x − m)), m the exact maximum.
     *
     * <p>Chunks of {@value #VOCABULARY_CHUNK} values, counted from {@code offset}, are summed by the f32 rule; the chunks'
     * sums are added in order, from +0.
     *
     * @param x values
     * @param offset first value
     * @param n number of values
     * @return the logarithm; −∞ where n is 0 or every value is −∞, NaN where a value is NaN
     */
    public static float logSumExp(float[] x, int offset, int n) {
        Objects.checkFromIndexSize(offset, n, x.length);
        float max = max(x, offset, n);
        if (Float.isNaN(max) || Float.isInfinite(max)) {
            return max;
        }
        float total = 0f;
        for (int start = 0; start < n; start += VOCABULARY_CHUNK) {
            total += sumOfExp(x, offset + start, Math.min(VOCABULARY_CHUNK, n - start), max);
        }
        return max + Functions.log(total);
    }

    private static float max(float[] x, int offset, int n) {
        float max = Float.NEGATIVE_INFINITY;
        for (int i = 0; i < n; i++) {
            max = Math.max(max, x[offset + i]); // NaN wins
        }
        return max;
    }

    private static float sumOfExp(float[] x, int offset, int n, float max) {
        float[] partials = new float[PARTIALS];
        for (int i = 0; i < n; i++) {
            partials[i % PARTIALS] += Functions.exp(x[offset + i] - max);
        }
        return butterfly(partials);
    }

    /** Compares two candidates by the ranking: negative where the first comes before the second. */
    static int compareRank(float value, int id, float otherValue, int otherId) {
        if (value > otherValue) {
            return -1;
        }
        if (value < otherValue) {
            return 1;
        }
        int nanLast = Boolean.compare(Float.isNaN(value), Float.isNaN(otherValue));
        return nanLast != 0 ? nanLast : Integer.compare(id, otherId);
    }

    /**
     * Id of the greatest value, the lower one on a tie.
     *
     * @param x values
     * @param offset value of id 0
     * @param n number of values, at least 1
     * @return the id; 0 where every value is NaN
     * @throws IllegalArgumentException where n is below 1
     */
    public static int argMax(float[] x, int offset, int n) {
        Objects.checkFromIndexSize(offset, n, x.length);
        if (n < 1) {
            throw new IllegalArgumentException("argMax of no values");
        }
        int best = 0;
        for (int id = 1; id < n; id++) {
            float value = x[offset + id];
            float greatest = x[offset + best];
            if (value > greatest || (Float.isNaN(greatest) && !Float.isNaN(value))) {
                best = id;
            }
        }
        return best;
    }

    /**
     * Ids of the first {@code k} values by the ranking, best first.
     *
     * @param x values
     * @param offset value of id 0
     * @param n number of values
     * @param k how many, from 1 to n
     * @return k ids
     * @throws IllegalArgumentException where k is below 1 or above n
     */
    public static int[] topK(float[] x, int offset, int n, int k) {
        Objects.checkFromIndexSize(offset, n, x.length);
        if (k < 1 || k > n) {
            throw new IllegalArgumentException("top " + k + " of " + n + " values");
        }
        RankHeap heap = new RankHeap(x, offset, k);
        for (int id = 0; id < n; id++) {
            heap.offer(id);
        }
        return heap.drain();
    }
}
