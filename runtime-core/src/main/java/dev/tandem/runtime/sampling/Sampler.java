package dev.tandem.runtime.sampling;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.numeric.CounterRandom;
import dev.tandem.spi.numeric.Functions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Chooses one token from a row of logits.
 *
 * <p>The choice is a pure function of logits, history, options and position: it depends neither on earlier calls nor on
 * their order, so a row of a speculated path gives the token that plain decoding gives there. All arithmetic is f32 on
 * the host by the contract's functions, one rounding per operation. The chain, each link only where its option is on:
 *
 * <ol>
 *   <li>logit bias: logit + bias.
 *   <li>penalties, for each id among the last N of the history, seen c times: logit / repeat where above 0, else logit
 *       · repeat; then − (c · frequency + presence).
 *   <li>At temperature 0 the greatest logit is taken, the lower id on a tie, and the chain ends here.
 *   <li>top-k: the first k of the ranking (value descending, id ascending).
 *   <li>top-p: the shortest beginning of the ranking with at least the share p of the probability left by top-k.
 *       (Holtzman and others, "The Curious Case of Neural Text Degeneration", 2020.)
 *   <li>min-p: the candidates with logit ≥ max + log(p), which have at least p times the greatest probability. (Nguyen
 *       and others, "Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM Outputs", 2024.)
 *   <li>temperature: logit · (1 / max(0.001, T)).
 *   <li>draw: the first of the ranking at which the running sum of exp(logit − max) reaches u times the whole, u being
 *       number 0 of {@link CounterRandom} at this seed and position.
 * </ol>
 *
 * <p>So temperature comes last: top-k, top-p and min-p cut by the model's own probabilities, those at temperature 1,
 * and the temperature reshapes what they left. A system that applies temperature before top-p keeps other candidates at
 * the same settings.
 *
 * <p>An instance owns scratch memory of the vocabulary's size: one per sequence or thread, not thread-safe.
 */
public final class Sampler {
    /** Below this the temperature counts as this. */
    private static final float LOWEST_TEMPERATURE = 1e-3f;
    /** The random number, of those a position has, that chooses its token. */
    private static final int TOKEN_DRAW = 0;

    private final SamplingOptions options;
    private final List<SamplerStage> edits;
    private final List<SamplerStage> cuts;
    private final Candidates candidates = new Candidates();
    private int checkedVocabulary;

    /**
     * Builds the chain.
     *
     * @param options what to apply
     */
    public Sampler(SamplingOptions options) {
        this.options = options;
        this.edits = edits(options);
        this.cuts = cuts(options);
    }

    private static List<SamplerStage> edits(SamplingOptions options) {
        List<SamplerStage> stages = new ArrayList<>();
        if (!options.logitBias().isEmpty()) {
            stages.add(new LogitBias(options.logitBias()));
        }
        if (options.hasPenalties()) {
            stages.add(new Penalties(options));
        }
        return List.copyOf(stages);
    }

    private static List<SamplerStage> cuts(SamplingOptions options) {
        List<SamplerStage> stages = new ArrayList<>();
        if (options.topK() > 0) {
            stages.add((candidates, history) -> candidates.keepBest(options.topK()));
        }
        if (options.topP() < 1f) {
            stages.add((candidates, history) -> candidates.keepMass(options.topP()));
        }
        if (options.minP() > 0f) {
            float margin = Functions.log(options.minP());
            stages.add((candidates, history) -> candidates.keepAtLeast(candidates.max() + margin));
        }
        float factor = 1f / Math.max(LOWEST_TEMPERATURE, options.temperature());
        stages.add((candidates, history) -> candidates.scale(factor));
        return List.copyOf(stages);
    }

    /**
     * Chooses the token that follows a history.
     *
     * @param logits logits, none of them NaN (see {@link #firstNaN}); unchanged
     * @param offset logit of id 0
     * @param vocabulary number of logits, at least 1
     * @param history ids before the token: the prompt's and the generated ones, and the path of a speculated row; each
     *     below {@code vocabulary}
     * @param position position of the token to choose in its sequence
     * @return the id
     * @throws UsageException where the bias names an id outside the vocabulary, or every logit is −∞ after the bias
     * @throws IllegalArgumentException where a logit is NaN
     */
    public int sample(float[] logits, int offset, int vocabulary, TokenHistory history, long position) {
        Objects.checkFromIndexSize(offset, vocabulary, logits.length);
        if (vocabulary != checkedVocabulary) {
            options.checkVocabulary(vocabulary);
            checkedVocabulary = vocabulary;
        }
        candidates.load(logits, offset, vocabulary);
        edits.forEach(stage -> stage.apply(candidates, history));
        float max = candidates.max();
        if (Float.isNaN(max)) {
            throw new IllegalArgumentException("a logit is NaN at position " + position);
        }
        if (max == Float.NEGATIVE_INFINITY) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "no token can be chosen at position " + position + ": every logit is -inf",
                    "Ban fewer tokens with --logit-bias.");
        }
        if (options.isGreedy()) {
            return candidates.lowestId(max);
        }
        cuts.forEach(stage -> stage.apply(candidates, history));
        candidates.keepMass(CounterRandom.uniform(options.seed(), position, TOKEN_DRAW));
        return candidates.id(candidates.size() - 1);
    }

    /**
     * Finds a logit that is not a number.
     *
     * @param logits logits
     * @param offset logit of id 0
     * @param vocabulary number of logits
     * @return the lowest id whose logit is NaN, or −1
     */
    public static int firstNaN(float[] logits, int offset, int vocabulary) {
        Objects.checkFromIndexSize(offset, vocabulary, logits.length);
        for (int id = 0; id < vocabulary; id++) {
            if (Float.isNaN(logits[offset + id])) {
                return id;
            }
        }
        return -1;
    }
}
