package dev.tandem.runtime.sampling;

/**
 * One link of the sampler's chain: changes the candidates' logits or removes candidates, and always leaves one.
 *
 * <p>A stage is a pure function of its arguments. It may own scratch memory, so it serves one sampler.
 */
@FunctionalInterface
interface SamplerStage {
    /**
     * Changes the candidates in place.
     *
     * @param candidates what the stages before left
     * @param history ids before the token to choose
     * @param position position of the token to choose
     */
    void apply(Candidates candidates, TokenHistory history, long position);
}
