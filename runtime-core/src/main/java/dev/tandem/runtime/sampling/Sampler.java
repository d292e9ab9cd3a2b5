package dev.tandem.runtime.sampling;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.numeric.CounterRandom;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Chooses one token from a row of logits.
 *
 * <p>The choice is a pure function of logits, history, options and position: it depends neither on earlier calls nor on
 * their order, so a row of a speculated path gives the token that plain decoding gives there. The one exception is
 * mirostat, whose limit follows from the rows and tokens before: with it an instance serves one generation and is asked
 * for each position once, in order. All arithmetic is on the host by the contract's functions, f32 with one rounding per
 * operation where nothing else is said.
 *
 * <p>First comes the logit bias: logit + bias; then ids that a grammar does not allow are dropped. Then the links of the chain, each only where its option is on, in the order
 * of {@link SamplingOptions#samplers}; by default:
 *
 * <ol>
 *   <li>penalties, for each id among the last N of the history, seen c times: logit / repeat where above 0, else logit
 *       · repeat; then − (c · frequency + presence).
 *   <li>dry: {@link Dry}.
 *   <li>top_n_sigma: {@link TopNSigma}.
 *   <li>top_k: the first k of the ranking (value descending, id ascending).
 *   <li>typ_p: {@link TypicalCut}.
 *   <li>top_p: the shortest beginning of the ranking with at least the share p of the probability that is left.
 *       (Holtzman and others, "The Curious Case of Neural Text Degeneration", 2020.)
 *   <li>min_p: the candidates with logit ≥ max + log(p), which have at least p times the greatest probability. (Nguyen
 *       and others, "Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM Outputs", 2024.)
 *   <li>xtc: {@link ExcludeTopChoices}.
 *   <li>temperature: {@link Temperature}.
 * </ol>
 *
 * <p>At temperature 0 only penalties and dry have an effect, and the greatest logit is taken, the lower id on a tie.
 * Above, the draw is the first of the ranking at which the running sum of exp(logit − max) reaches u times the whole, u
 * being number 0 of {@link CounterRandom} at this seed and position. With mirostat, the links are penalties, dry and
 * temperature only, and {@link Mirostat} draws.
 *
 * <p>So by default temperature comes last: the cuts go by the model's own probabilities, those at temperature 1, and the
 * temperature reshapes what they left. A system that applies temperature before top-p keeps other candidates at the same
 * settings.
 *
 * <p>An instance owns scratch memory of the vocabulary's size: one per sequence or thread, not thread-safe.
 */
public final class Sampler {
    /** The random number, of those a position has, that chooses its token. */
    private static final int TOKEN_DRAW = 0;

    private final SamplingOptions options;
    private final @Nullable LogitBias bias;
    private final List<SamplerStage> stages;
    private final @Nullable Mirostat mirostat;
    private final Candidates candidates = new Candidates();
    private int checkedVocabulary;

    /**
     * Builds a chain for tokens without text, in which no sequence breaker is found.
     *
     * @param options what to apply
     */
    public Sampler(SamplingOptions options) {
        this(options, id -> new byte[0]);
    }

    /**
     * Builds the chain.
     *
     * @param options what to apply
     * @param bytes the bytes that a token adds to the text
     */
    public Sampler(SamplingOptions options, IntFunction<byte[]> bytes) {
        this.options = options;
        this.bias = options.logitBias().isEmpty() ? null : new LogitBias(options.logitBias());
        this.stages = SamplerChain.of(options, bytes);
        this.mirostat = options.mirostat().isOn() && !options.isGreedy() ? new Mirostat(options.mirostat()) : null;
    }

    /** What must be known, beside history and position, to go on after the last choice; empty for nothing. */
    public Optional<SamplerMemory> memory() {
        return Optional.ofNullable(mirostat).map(Mirostat::memory);
    }

    /**
     * Goes on where another sampler ended.
     *
     * @param memory what it knew; without effect where this one has other options
     */
    public void resume(SamplerMemory memory) {
        if (mirostat != null) {
            mirostat.resume(memory);
        }
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
     * @throws IllegalStateException with mirostat, where the position does not follow the one before
     */
    public int sample(float[] logits, int offset, int vocabulary, TokenHistory history, long position) {
        return sample(logits, offset, vocabulary, history, position, null);
    }

    /**
     * Chooses among some tokens only; all else is as in the other method.
     *
     * @param logits logits
     * @param offset logit of id 0
     * @param vocabulary number of logits
     * @param history ids before the token
     * @param position position of the token to choose
     * @param allowed the ids that can be chosen, at least one and each below {@code vocabulary}; null for all
     * @return the id
     */
    public int sample(
            float[] logits, int offset, int vocabulary, TokenHistory history, long position, @Nullable BitSet allowed) {
        Objects.checkFromIndexSize(offset, vocabulary, logits.length);
        if (vocabulary != checkedVocabulary) {
            options.checkVocabulary(vocabulary);
            checkedVocabulary = vocabulary;
        }
        candidates.load(logits, offset, vocabulary);
        if (bias != null) {
            bias.apply(candidates, history, position);
        }
        if (allowed != null) {
            candidates.retain(allowed);
        }
        requireChoice(candidates.max(), position);
        stages.forEach(stage -> stage.apply(candidates, history, position));
        if (options.isGreedy()) {
            return candidates.lowestId(candidates.max());
        }
        double u = CounterRandom.uniform(options.seed(), position, TOKEN_DRAW);
        if (mirostat != null) {
            return mirostat.draw(candidates, u, position);
        }
        candidates.keepMass(u);
        return candidates.id(candidates.size() - 1);
    }

    private static void requireChoice(float max, long position) {
        if (Float.isNaN(max)) {
            throw new IllegalArgumentException("a logit is NaN at position " + position);
        }
        if (max == Float.NEGATIVE_INFINITY) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "no token can be chosen at position " + position + ": every logit of an allowed token is -inf",
                    "Ban fewer tokens with --logit-bias.");
        }
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
