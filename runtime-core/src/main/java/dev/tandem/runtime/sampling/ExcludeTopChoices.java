package dev.tandem.runtime.sampling;

import dev.tandem.spi.numeric.CounterRandom;
import java.util.BitSet;

/**
 * With a given probability, removes every candidate that is likely enough but the least likely of these (XTC).
 *
 * <p>Whether it happens is number {@value #DRAW} of {@link CounterRandom} at the seed and the position: below the
 * probability it does. Likely enough is exp(logit − max) ≥ threshold · total, the product in f64. Of several least likely
 * ones the highest id stays, which is the last of the ranking.
 */
final class ExcludeTopChoices implements SamplerStage {
    /** The random number, of those a position has, that decides whether anything is excluded. */
    static final int DRAW = 1;

    private final XtcOptions options;
    private final long seed;
    private final BitSet kept = new BitSet();

    ExcludeTopChoices(XtcOptions options, long seed) {
        this.options = options;
        this.seed = seed;
    }

    @Override
    public void apply(Candidates candidates, TokenHistory history, long position) {
        if (CounterRandom.uniform(seed, position, DRAW) >= options.probability()) {
            return;
        }
        double least = (double) options.threshold() * candidates.weigh();
        kept.set(0, candidates.size());
        int survivor = -1;
        for (int i = 0; i < candidates.size(); i++) {
            if (candidates.weight(i) >= least) {
                kept.clear(i);
                survivor = survivor < 0 || ranksAfter(candidates, i, survivor) ? i : survivor;
            }
        }
        if (survivor >= 0) {
            kept.set(survivor);
        }
        candidates.retain(kept);
        kept.clear();
    }

    private static boolean ranksAfter(Candidates candidates, int index, int other) {
        float logit = candidates.logit(index);
        float otherLogit = candidates.logit(other);
        return logit < otherLogit || logit == otherLogit && candidates.id(index) > candidates.id(other);
    }
}
