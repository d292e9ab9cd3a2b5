package dev.tandem.cli;

import dev.tandem.runtime.sampling.SamplingOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How tokens are chosen. */
final class SamplingArguments {
    @Option(
            names = "--temp",
            paramLabel = "T",
            description = "Temperature; 0 always takes the likeliest token. Default: ${DEFAULT-VALUE}.")
    float temperature = SamplingOptions.DEFAULTS.temperature();

    @Option(
            names = "--top-k",
            paramLabel = "K",
            description = "Keep the K likeliest tokens; 0 keeps all. Default: ${DEFAULT-VALUE}.")
    int topK = SamplingOptions.DEFAULTS.topK();

    @Option(
            names = "--top-p",
            paramLabel = "P",
            description = "Keep the likeliest tokens that hold P of the probability; 1 keeps all."
                    + " Default: ${DEFAULT-VALUE}.")
    float topP = SamplingOptions.DEFAULTS.topP();

    @Option(
            names = "--min-p",
            paramLabel = "P",
            description = "Keep tokens at least P times as likely as the likeliest; 0 keeps all."
                    + " Default: ${DEFAULT-VALUE}.")
    float minP = SamplingOptions.DEFAULTS.minP();

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the random numbers: the same seed gives the same text. Default: ${DEFAULT-VALUE}.")
    long seed = SamplingOptions.DEFAULTS.seed();

    @Option(
            names = "--repeat-penalty",
            paramLabel = "X",
            description = "Make recent tokens less likely by this factor; 1 is off. Default: ${DEFAULT-VALUE}.")
    float repeatPenalty = SamplingOptions.DEFAULTS.repeatPenalty();

    @Option(
            names = "--repeat-last-n",
            paramLabel = "N",
            description = "Recent tokens that the penalties see; -1 sees all. Default: ${DEFAULT-VALUE}.")
    int repeatLastN = SamplingOptions.DEFAULTS.repeatLastN();

    @Option(
            names = "--presence-penalty",
            paramLabel = "X",
            description = "Take X from the logit of each recent token; 0 is off. Default: ${DEFAULT-VALUE}.")
    float presencePenalty = SamplingOptions.DEFAULTS.presencePenalty();

    @Option(
            names = "--frequency-penalty",
            paramLabel = "X",
            description = "Take X from a logit for each recent occurrence; 0 is off. Default: ${DEFAULT-VALUE}.")
    float frequencyPenalty = SamplingOptions.DEFAULTS.frequencyPenalty();

    @Option(
            names = "--logit-bias",
            paramLabel = "ID=VALUE",
            description = "Add VALUE to the logit of token ID; -inf bans it. May be given several times.")
    Map<Integer, Float> logitBias = new LinkedHashMap<>();

    @Mixin
    SamplerArguments samplers = new SamplerArguments();

    /**
     * Warns of what is given and has no effect, because at temperature 0 the likeliest token is always taken.
     *
     * @param chosen what {@link #toOptions} gave
     */
    static void warnOfIneffective(SamplingOptions chosen, Console console) {
        SamplingOptions usual = SamplingOptions.DEFAULTS;
        Map<String, Boolean> given = new LinkedHashMap<>();
        given.put("--samplers", !chosen.samplers().equals(usual.samplers()));
        given.put("--top-k", chosen.topK() != usual.topK());
        given.put("--top-p", chosen.topP() != usual.topP());
        given.put("--min-p", chosen.minP() != usual.minP());
        given.put("--top-n-sigma", chosen.topNSigma() != usual.topNSigma());
        given.put("--typical", chosen.typicalP() != usual.typicalP());
        given.put("--xtc-probability", !chosen.xtc().equals(usual.xtc()));
        given.put("--dynatemp-range", !chosen.dynamicTemperature().equals(usual.dynamicTemperature()));
        given.put("--mirostat", !chosen.mirostat().equals(usual.mirostat()));
        given.values().removeIf(changed -> !changed);
        if (chosen.isGreedy() && !given.isEmpty()) {
            console.warn("at temperature 0 the likeliest token is always taken: no effect of "
                    + String.join(", ", given.keySet()) + "; --temp changes that");
        }
    }

    /**
     * The options for the engine.
     *
     * @throws dev.tandem.spi.UsageException where a value is out of its range
     */
    SamplingOptions toOptions() {
        return samplers.apply(SamplingOptions.builder())
                .temperature(temperature)
                .topK(topK)
                .topP(topP)
                .minP(minP)
                .seed(seed)
                .repeatPenalty(repeatPenalty)
                .repeatLastN(repeatLastN)
                .presencePenalty(presencePenalty)
                .frequencyPenalty(frequencyPenalty)
                .logitBias(logitBias)
                .build();
    }
}
