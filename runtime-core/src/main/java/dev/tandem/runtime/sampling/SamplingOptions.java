package dev.tandem.runtime.sampling;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How a token is chosen from a row of logits.
 *
 * <p>The default is greedy: temperature 0, at which only bias, penalties and DRY have an effect. The default cuts (top-k 40, top-p 0.95, min-p 0.05) take effect only above
 * temperature 0. {@link Sampler} states the formulas and their order.
 *
 * @param temperature divisor of the logits, at least 0; 0 takes the greatest logit, below 0.001 counts as 0.001
 * @param topK candidates kept, at least 0; 0 keeps all
 * @param topP share of the probability kept, 0 to 1; 1 keeps all, 0 keeps one candidate
 * @param minP least probability kept, as a share of the greatest one, 0 to 1; 0 keeps all
 * @param repeatPenalty factor against ids seen before, above 0; 1 is off, below 1 favours repetition
 * @param repeatLastN how many of the last ids the three penalties see; 0 sees none, −1 all
 * @param presencePenalty taken from the logit of each id seen before; 0 is off, negative favours it
 * @param frequencyPenalty taken from the logit once for each time the id was seen; 0 is off, negative favours it
 * @param logitBias added to the logit of an id; −∞ bans it
 * @param samplers the links of the chain in their order; one that is not named has no effect
 * @param topNSigma candidates are kept within so many standard deviations of the greatest logit; 0 or less keeps all
 * @param typicalP share of the probability kept, most typical first, 0 to 1; 1 keeps all
 * @param xtc exclusion of the likeliest
 * @param dry penalties for repetitions
 * @param dynamicTemperature how the temperature follows the entropy
 * @param mirostat control of the surprise, instead of the cuts
 * @param seed the stream of random numbers; any value
 */
public record SamplingOptions(
        float temperature,
        int topK,
        float topP,
        float minP,
        float repeatPenalty,
        int repeatLastN,
        float presencePenalty,
        float frequencyPenalty,
        Map<Integer, Float> logitBias,
        List<SamplerKind> samplers,
        float topNSigma,
        float typicalP,
        XtcOptions xtc,
        DryOptions dry,
        DynamicTemperature dynamicTemperature,
        MirostatOptions mirostat,
        long seed) {
    /** The value of {@link #repeatLastN} for the whole history. */
    public static final int WHOLE_HISTORY = -1;
    /** Every option at its default: greedy, no bias, no penalty. */
    public static final SamplingOptions DEFAULTS = new SamplingOptions(
            0f,
            40,
            0.95f,
            0.05f,
            1f,
            64,
            0f,
            0f,
            Map.of(),
            SamplerKind.DEFAULT_ORDER,
            -1f,
            1f,
            XtcOptions.OFF,
            DryOptions.OFF,
            DynamicTemperature.OFF,
            MirostatOptions.OFF,
            0L);

    /**
     * Validates every option and copies the map.
     *
     * @throws UsageException where a value is out of its range; the message names the option as the command line spells
     * it
     */
    public SamplingOptions {
        require(temperature >= 0f && Float.isFinite(temperature), "--temp", temperature, "a number from 0 up");
        require(topK >= 0, "--top-k", topK, "0 or more");
        require(topP >= 0f && topP <= 1f, "--top-p", topP, "in 0..1");
        require(minP >= 0f && minP <= 1f, "--min-p", minP, "in 0..1");
        require(repeatPenalty > 0f && Float.isFinite(repeatPenalty), "--repeat-penalty", repeatPenalty, "above 0");
        require(repeatLastN >= WHOLE_HISTORY, "--repeat-last-n", repeatLastN, "-1 or more");
        require(Float.isFinite(presencePenalty), "--presence-penalty", presencePenalty, "finite");
        require(Float.isFinite(frequencyPenalty), "--frequency-penalty", frequencyPenalty, "finite");
        require(Float.isFinite(topNSigma), "--top-n-sigma", topNSigma, "finite");
        require(typicalP >= 0f && typicalP <= 1f, "--typical", typicalP, "in 0..1");
        samplers = List.copyOf(samplers);
        SamplerKind.requireDistinct(samplers);
        logitBias = Map.copyOf(logitBias);
        for (Map.Entry<Integer, Float> bias : new TreeMap<>(logitBias).entrySet()) {
            require(bias.getKey() >= 0, "--logit-bias: token", bias.getKey(), "0 or more");
            require(
                    bias.getValue() < Float.POSITIVE_INFINITY,
                    "--logit-bias: the bias " + bias.getValue() + " of token",
                    bias.getKey(),
                    "finite or -inf");
        }
    }

    static void require(boolean holds, String option, Number value, String expected) {
        if (!holds) {
            throw new UsageException(ErrorCode.BAD_ARGUMENT, option + " " + value + " is not " + expected);
        }
    }

    /**
     * Checks what can only be checked once the model is known.
     *
     * @param vocabulary number of tokens of the model
     * @throws UsageException where the bias names a token that the model does not have
     */
    public void checkVocabulary(int vocabulary) {
        for (int id : new TreeMap<>(logitBias).keySet()) {
            if (id >= vocabulary) {
                throw new UsageException(
                        ErrorCode.BAD_ARGUMENT,
                        "--logit-bias names token " + id + ", but the model's tokens are 0 to " + (vocabulary - 1));
            }
        }
    }

    /**
     * Whether the greatest logit is taken and no random number is used.
     *
     * @return true at temperature 0
     */
    public boolean isGreedy() {
        return temperature == 0f;
    }

    /** Whether the history changes the choice. */
    boolean hasPenalties() {
        return repeatLastN != 0 && (repeatPenalty != 1f || presencePenalty != 0f || frequencyPenalty != 0f);
    }

    /**
     * A builder that starts from the defaults.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return DEFAULTS.toBuilder();
    }

    /**
     * A builder that starts from these options.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Sets options by name; the ones not set keep the value that the builder started from. */
    public static final class Builder {
        private float temperature;
        private int topK;
        private float topP;
        private float minP;
        private float repeatPenalty;
        private int repeatLastN;
        private float presencePenalty;
        private float frequencyPenalty;
        private Map<Integer, Float> logitBias;
        private List<SamplerKind> samplers;
        private float topNSigma;
        private float typicalP;
        private XtcOptions xtc;
        private DryOptions dry;
        private DynamicTemperature dynamicTemperature;
        private MirostatOptions mirostat;
        private long seed;

        private Builder(SamplingOptions from) {
            this.temperature = from.temperature;
            this.topK = from.topK;
            this.topP = from.topP;
            this.minP = from.minP;
            this.repeatPenalty = from.repeatPenalty;
            this.repeatLastN = from.repeatLastN;
            this.presencePenalty = from.presencePenalty;
            this.frequencyPenalty = from.frequencyPenalty;
            this.logitBias = from.logitBias;
            this.samplers = from.samplers;
            this.topNSigma = from.topNSigma;
            this.typicalP = from.typicalP;
            this.xtc = from.xtc;
            this.dry = from.dry;
            this.dynamicTemperature = from.dynamicTemperature;
            this.mirostat = from.mirostat;
            this.seed = from.seed;
        }

        /** Sets {@link SamplingOptions#temperature}. */
        public Builder temperature(float value) {
            this.temperature = value;
            return this;
        }

        /** Sets {@link SamplingOptions#topK}. */
        public Builder topK(int value) {
            this.topK = value;
            return this;
        }

        /** Sets {@link SamplingOptions#topP}. */
        public Builder topP(float value) {
            this.topP = value;
            return this;
        }

        /** Sets {@link SamplingOptions#minP}. */
        public Builder minP(float value) {
            this.minP = value;
            return this;
        }

        /** Sets {@link SamplingOptions#repeatPenalty}. */
        public Builder repeatPenalty(float value) {
            this.repeatPenalty = value;
            return this;
        }

        /** Sets {@link SamplingOptions#repeatLastN}. */
        public Builder repeatLastN(int value) {
            this.repeatLastN = value;
            return this;
        }

        /** Sets {@link SamplingOptions#presencePenalty}. */
        public Builder presencePenalty(float value) {
            this.presencePenalty = value;
            return this;
        }

        /** Sets {@link SamplingOptions#frequencyPenalty}. */
        public Builder frequencyPenalty(float value) {
            this.frequencyPenalty = value;
            return this;
        }

        /** Sets {@link SamplingOptions#logitBias}; the map is copied when the options are built. */
        public Builder logitBias(Map<Integer, Float> value) {
            this.logitBias = value;
            return this;
        }

        /** Sets {@link SamplingOptions#samplers}. */
        public Builder samplers(List<SamplerKind> value) {
            this.samplers = value;
            return this;
        }

        /** Sets {@link SamplingOptions#topNSigma}. */
        public Builder topNSigma(float value) {
            this.topNSigma = value;
            return this;
        }

        /** Sets {@link SamplingOptions#typicalP}. */
        public Builder typicalP(float value) {
            this.typicalP = value;
            return this;
        }

        /** Sets {@link SamplingOptions#xtc}. */
        public Builder xtc(XtcOptions value) {
            this.xtc = value;
            return this;
        }

        /** Sets {@link SamplingOptions#dry}. */
        public Builder dry(DryOptions value) {
            this.dry = value;
            return this;
        }

        /** Sets {@link SamplingOptions#dynamicTemperature}. */
        public Builder dynamicTemperature(DynamicTemperature value) {
            this.dynamicTemperature = value;
            return this;
        }

        /** Sets {@link SamplingOptions#mirostat}. */
        public Builder mirostat(MirostatOptions value) {
            this.mirostat = value;
            return this;
        }

        /** Sets {@link SamplingOptions#seed}. */
        public Builder seed(long value) {
            this.seed = value;
            return this;
        }

        /**
         * Validates and builds.
         *
         * @return the options
         * @throws UsageException where a value is out of its range
         */
        public SamplingOptions build() {
            return new SamplingOptions(
                    temperature,
                    topK,
                    topP,
                    minP,
                    repeatPenalty,
                    repeatLastN,
                    presencePenalty,
                    frequencyPenalty,
                    logitBias,
                    samplers,
                    topNSigma,
                    typicalP,
                    xtc,
                    dry,
                    dynamicTemperature,
                    mirostat,
                    seed);
        }
    }
}
