package dev.tandem.runtime.sampling;

import java.util.BitSet;

/**
 * Keeps the fewest candidates that hold a share of the probability, those first whose surprise is nearest to the entropy.
 *
 * <p>The distance |−ln p − H| is |(max − logit) − Σ p · (max − logit)|, in f64 and rounded to f32; of equal distances the
 * candidate that stands first comes first. Masses are summed as for top-p. (Meister and others, "Locally Typical Sampling",
 * 2023.)
 */
final class TypicalCut implements SamplerStage {
    private static final int FIRST_GUESS = 64;
    private static final int GROWTH = 16;

    private final float share;
    private final Ranking ranking = new Ranking();
    private final BitSet kept = new BitSet();
    private float[] closeness = new float[0];
    private int[] indexes = new int[0];

    TypicalCut(float share) {
        this.share = share;
    }

    @Override
    public void apply(Candidates candidates, TokenHistory history, long position) {
        int size = candidates.size();
        float total = candidates.weigh();
        measure(candidates, candidates.meanDistance(total));
        double wanted = (double) share * total;
        boolean enough = false;
        int ranked = 0;
        for (int guess = FIRST_GUESS; !enough && ranked < size; guess *= GROWTH) {
            ranked = ranking.rank(closeness, indexes, size, Math.min(guess, size));
            enough = take(candidates, ranked, wanted);
        }
        candidates.retain(kept);
    }

    private void measure(Candidates candidates, double expected) {
        int size = candidates.size();
        if (closeness.length < size) {
            closeness = new float[size];
            indexes = new int[size];
        }
        float max = candidates.max();
        for (int i = 0; i < size; i++) {
            boolean possible = candidates.weight(i) > 0f;
            double distance = candidates.logit(i) == max ? 0 : max - candidates.logit(i);
            closeness[i] = possible ? (float) -Math.abs(distance - expected) : Float.NEGATIVE_INFINITY;
            indexes[i] = i;
        }
    }

    /** Marks candidates from the most typical on until they have the mass wanted; false where the ranked ones have less. */
    private boolean take(Candidates candidates, int ranked, double wanted) {
        kept.clear();
        double mass = 0;
        for (int rank = 0; rank < ranked; rank++) {
            int index = ranking.id(rank);
            if (candidates.weight(index) > 0f) {
                kept.set(index);
                mass += candidates.weight(index);
            }
            if (mass >= wanted) {
                return true;
            }
        }
        return false;
    }
}
