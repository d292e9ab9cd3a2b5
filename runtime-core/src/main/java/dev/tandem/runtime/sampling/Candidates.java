package dev.tandem.runtime.sampling;

import dev.tandem.spi.numeric.Functions;
import dev.tandem.spi.numeric.Sums;
import java.util.BitSet;
import java.util.Objects;

/**
 * The tokens that can still be chosen, with their logits, in memory that is reused from row to row.
 *
 * <p>After {@link #load} the candidate at index i is id i. {@link #keepBest} and {@link #keepMass} leave the candidates
 * in the contract's ranking: value descending, id ascending, NaN last. Not thread-safe.
 */
final class Candidates {
    /**
     * A first guess at how many candidates hold the mass asked for; each further one is {@link #GROWTH} times
     * larger.
     */
    private static final int FIRST_GUESS = 64;

    private static final int GROWTH = 16;

    private final Ranking ranking = new Ranking();
    private int[] ids = new int[0];
    private float[] logits = new float[0];
    private float[] weights = new float[0];
    private int size;
    private int vocabulary;

    /** Makes every id of a row a candidate, in the order of ids. */
    void load(float[] row, int offset, int vocabulary) {
        Objects.checkFromIndexSize(offset, vocabulary, row.length);
        if (logits.length < vocabulary) {
            ids = new int[vocabulary];
            logits = new float[vocabulary];
            weights = new float[vocabulary];
        }
        System.arraycopy(row, offset, logits, 0, vocabulary);
        for (int id = 0; id < vocabulary; id++) {
            ids[id] = id;
        }
        size = vocabulary;
        this.vocabulary = vocabulary;
    }

    /** Number of ids of the row, those of removed candidates included. */
    int vocabulary() {
        return vocabulary;
    }

    int size() {
        return size;
    }

    int id(int index) {
        return ids[Objects.checkIndex(index, size)];
    }

    float logit(int index) {
        return logits[Objects.checkIndex(index, size)];
    }

    void setLogit(int index, float logit) {
        logits[Objects.checkIndex(index, size)] = logit;
    }

    /** Multiplies every logit. */
    void scale(float factor) {
        for (int i = 0; i < size; i++) {
            logits[i] *= factor;
        }
    }

    /** The greatest logit; NaN where one is NaN. */
    float max() {
        float max = Float.NEGATIVE_INFINITY;
        for (int i = 0; i < size; i++) {
            max = Math.max(max, logits[i]);
        }
        return max;
    }

    /**
     * The lowest id with this logit, which one must have; −0 and +0 are the same. Comes before any stage that
     * ranks.
     */
    int lowestId(float logit) {
        int index = 0;
        while (logits[index] != logit) {
            index++;
        }
        return ids[index];
    }

    /** Keeps the first {@code k} of the ranking, in that order; k is at least 1 and may be above {@link #size}. */
    void keepBest(int k) {
        int kept = Math.min(k, size);
        ranking.rank(logits, ids, size, kept);
        take(kept);
    }

    /** Keeps the candidates with at least this logit, in the order they have; it must be at most {@link #max}. */
    void keepAtLeast(float least) {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (logits[i] >= least) {
                ids[kept] = ids[i];
                logits[kept] = logits[i];
                kept++;
            }
        }
        size = kept;
    }

    /**
     * Keeps the candidates at some indexes, in the order they have.
     *
     * @param indexes at least one
     */
    void retain(BitSet indexes) {
        int kept = 0;
        for (int i = indexes.nextSetBit(0); i >= 0; i = indexes.nextSetBit(i + 1)) {
            ids[kept] = ids[i];
            logits[kept] = logits[i];
            kept++;
        }
        size = kept;
    }

    /**
     * Computes exp(logit − max) of every candidate in f32, which {@link #weight} then gives.
     *
     * @return their vocabulary-sized sum, in the order the candidates have
     */
    float weigh() {
        return totalWeight(max());
    }

    /**
     * Σ p · (max − logit) over the candidates, p their softmax: how far below the greatest logit they lie on average. Summed
     * in f64 in the order the candidates have. The entropy is ln of the total weight more.
     *
     * @param total of {@link #weigh}, which comes first
     */
    double meanDistance(float total) {
        float max = max();
        double sum = 0;
        for (int i = 0; i < size; i++) {
            if (weights[i] > 0f && logits[i] < max) {
                sum += (double) weights[i] * (max - logits[i]);
            }
        }
        return sum / total;
    }

    /** The weight of a candidate, as of the last {@link #weigh}. */
    float weight(int index) {
        return weights[Objects.checkIndex(index, size)];
    }

    /**
     * Keeps the shortest beginning of the ranking whose softmax mass is at least {@code share} of the whole, in ranking
     * order; candidates of weight 0 are left out.
     *
     * <p>Weights are exp(logit − max) in f32. The whole is their vocabulary-sized sum, in the order the candidates have
     * on entry; the beginning is summed in f64, in ranking order. Only as many candidates are ranked as are needed.
     */
    void keepMass(double share) {
        float max = max();
        double wanted = share * totalWeight(max);
        int ranked = 0;
        for (int guess = FIRST_GUESS; ranked < size; guess *= GROWTH) {
            ranked = ranking.rank(logits, ids, size, Math.min(guess, size));
            int kept = shortest(ranked, wanted, max);
            if (kept > 0) {
                take(kept);
                return;
            }
        }
        // Rounding can leave the two sums a hair apart; then all that weigh anything are needed.
        take(positive(ranked, max));
    }

    private float totalWeight(float max) {
        for (int i = 0; i < size; i++) {
            weights[i] = weight(logits[i], max);
        }
        float total = 0f;
        for (int start = 0; start < size; start += Sums.VOCABULARY_CHUNK) {
            total += Sums.sum(weights, start, Math.min(Sums.VOCABULARY_CHUNK, size - start));
        }
        return total;
    }

    /** exp(logit − max), and 1 for the greatest even where it is infinite. */
    private static float weight(float logit, float max) {
        return logit == max ? 1f : Functions.exp(logit - max);
    }

    /** Length of the shortest beginning of the ranking that has the mass wanted; 0 where the ranked ones have less. */
    private int shortest(int ranked, double wanted, float max) {
        double mass = 0;
        for (int rank = 0; rank < ranked; rank++) {
            float weight = weight(ranking.value(rank), max);
            mass += weight;
            if (mass >= wanted) {
                return rank + 1;
            }
        }
        return 0;
    }

    private int positive(int ranked, float max) {
        int kept = ranked;
        while (kept > 1 && weight(ranking.value(kept - 1), max) == 0f) {
            kept--;
        }
        return kept;
    }

    private void take(int kept) {
        for (int rank = 0; rank < kept; rank++) {
            ids[rank] = ranking.id(rank);
            logits[rank] = ranking.value(rank);
        }
        size = kept;
    }
}
