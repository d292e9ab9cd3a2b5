package dev.tandem.runtime.sampling;

/**
 * Keeps the candidates with logit ≥ max − n · σ, σ being the standard deviation of the candidates' logits.
 *
 * <p>Impossible candidates (−∞) do not count. Mean and variance (divided by the number) are summed in f64, in the order the
 * candidates have; the limit is rounded to f32. (Tang and others, "Top-nσ: Not All Logits Are You Need", 2024.)
 */
final class TopNSigma implements SamplerStage {
    private final float n;

    TopNSigma(float n) {
        this.n = n;
    }

    @Override
    public void apply(Candidates candidates, TokenHistory history, long position) {
        float max = candidates.max();
        if (!Float.isInfinite(max)) {
            candidates.keepAtLeast((float) (max - n * deviation(candidates)));
        }
    }

    private static double deviation(Candidates candidates) {
        double sum = 0;
        int possible = 0;
        for (int i = 0; i < candidates.size(); i++) {
            float logit = candidates.logit(i);
            if (logit != Float.NEGATIVE_INFINITY) {
                sum += logit;
                possible++;
            }
        }
        double mean = sum / possible;
        double squares = 0;
        for (int i = 0; i < candidates.size(); i++) {
            float logit = candidates.logit(i);
            if (logit != Float.NEGATIVE_INFINITY) {
                squares += (logit - mean) * (logit - mean);
            }
        }
        return Math.sqrt(squares / possible);
    }
}
