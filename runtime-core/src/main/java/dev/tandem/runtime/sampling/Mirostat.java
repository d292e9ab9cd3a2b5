package dev.tandem.runtime.sampling;

import dev.tandem.spi.numeric.Functions;

/**
 * Draws a token and steers the surprise of the text towards a wanted one (mirostat 2).
 *
 * <p>Candidates of a surprise −log₂ p above the limit μ are dropped, all but the greatest logit's; the token is drawn from
 * the rest, and μ falls by η · (its surprise among the rest − τ). μ begins at 2 τ. All f32. (Basu and others, "Mirostat: A
 * Neural Text Decoding Algorithm that Directly Controls Perplexity", 2021.)
 *
 * <p>So μ is a function of the rows and tokens before, and every position must be drawn once, in order. A speculated path
 * keeps to that: a position's token is chosen when all before it are.
 */
final class Mirostat {
    private static final float LN_2 = Functions.LN2_HIGH;
    private static final long NOT_BEGUN = -1;

    private final MirostatOptions options;
    private float mu;
    private long next = NOT_BEGUN;

    Mirostat(MirostatOptions options) {
        this.options = options;
        this.mu = 2 * options.tau();
    }

    /** The options and the limit after the last draw. */
    SamplerMemory memory() {
        return new SamplerMemory(options, mu);
    }

    /** Goes on from a limit that was kept with the same options; does nothing for others. */
    void resume(SamplerMemory memory) {
        if (memory.options().equals(options)) {
            mu = memory.limit();
        }
    }

    /**
     * Draws from the candidates.
     *
     * @param u uniform in [0, 1)
     * @return the id
     * @throws IllegalStateException where the position does not follow the one before
     */
    int draw(Candidates candidates, double u, long position) {
        if (next != NOT_BEGUN && position != next) {
            throw new IllegalStateException("position " + position + " is drawn where " + next + " follows");
        }
        next = position + 1;
        float max = candidates.max();
        float limit = max + Functions.log(candidates.weigh()) - mu * LN_2;
        candidates.keepAtLeast(Math.min(max, limit));
        float logTotal = Functions.log(candidates.weigh());
        candidates.keepMass(u);
        int last = candidates.size() - 1;
        float surprise = (max - candidates.logit(last) + logTotal) / LN_2;
        mu -= options.eta() * (surprise - options.tau());
        return candidates.id(last);
    }
}
