package dev.tandem.cli;

import dev.tandem.runtime.sampling.DryOptions;
import dev.tandem.runtime.sampling.DynamicTemperature;
import dev.tandem.runtime.sampling.MirostatOptions;
import dev.tandem.runtime.sampling.SamplerKind;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.runtime.sampling.XtcOptions;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The less common samplers, and the order of all. */
final class SamplerArguments {
    /** In place of breakers: that there are none. */
    private static final String NO_BREAKERS = "none";

    @Option(
            names = "--samplers",
            paramLabel = "LIST",
            description = {
                "Order of the samplers, with semicolons between them; one that is not named has no effect. Bias comes"
                        + " before them. Default: penalties; dry; top_n_sigma; top_k; typ_p; top_p; min_p; xtc; temperature."
            })
    String order = SamplerKind.list(SamplingOptions.DEFAULTS.samplers());

    @Option(
            names = "--top-n-sigma",
            paramLabel = "X",
            description = "Keep tokens whose logit is within X standard deviations of the greatest; 0 or less keeps"
                    + " all. Default: ${DEFAULT-VALUE}.")
    float topNSigma = SamplingOptions.DEFAULTS.topNSigma();

    @Option(
            names = "--typical",
            paramLabel = "P",
            description = "Keep the tokens of most typical surprise that hold P of the probability; 1 keeps all."
                    + " Default: ${DEFAULT-VALUE}.")
    float typicalP = SamplingOptions.DEFAULTS.typicalP();

    @Option(
            names = "--xtc-probability",
            paramLabel = "P",
            description = "How often to drop all likely tokens but the least likely of them; 0 is off."
                    + " Default: ${DEFAULT-VALUE}.")
    float xtcProbability = XtcOptions.OFF.probability();

    @Option(
            names = "--xtc-threshold",
            paramLabel = "P",
            description = "Probability from which a token counts as likely there. Default: ${DEFAULT-VALUE}.")
    float xtcThreshold = XtcOptions.OFF.threshold();

    @Option(
            names = "--dry-multiplier",
            paramLabel = "X",
            description = "Take X from the logit of a token that goes on with a repetition; 0 is off."
                    + " Default: ${DEFAULT-VALUE}.")
    float dryMultiplier = DryOptions.OFF.multiplier();

    @Option(
            names = "--dry-base",
            paramLabel = "X",
            description = "Factor of that for each token more than allowed. Default: ${DEFAULT-VALUE}.")
    float dryBase = DryOptions.OFF.base();

    @Option(
            names = "--dry-allowed-length",
            paramLabel = "N",
            description = "Shortest repetition that counts, in tokens. Default: ${DEFAULT-VALUE}.")
    int dryAllowedLength = DryOptions.OFF.allowedLength();

    @Option(
            names = "--dry-penalty-last-n",
            paramLabel = "N",
            description = "Recent tokens searched for repetitions; -1 searches all. Default: ${DEFAULT-VALUE}.")
    int dryLastN = DryOptions.OFF.lastN();

    @Option(
            names = "--dry-sequence-breaker",
            paramLabel = "TEXT",
            description = {
                "A repetition ends at this text, in which \\n is a line break; 'none' for no such text. May be given"
                        + " several times. Default: line break, colon, quotation mark and asterisk."
            })
    List<String> dryBreakers = new ArrayList<>();

    @Option(
            names = "--dynatemp-range",
            paramLabel = "X",
            description = "Let the temperature follow the entropy, up to X below and above; 0 is off."
                    + " Default: ${DEFAULT-VALUE}.")
    float dynamicRange = DynamicTemperature.OFF.range();

    @Option(
            names = "--dynatemp-exp",
            paramLabel = "X",
            description = "Power of the entropy's share of its most. Default: ${DEFAULT-VALUE}.")
    float dynamicExponent = DynamicTemperature.OFF.exponent();

    @Option(
            names = "--mirostat",
            paramLabel = "N",
            description = "2 steers the surprise of the text, in place of all samplers that drop tokens; 0 is off."
                    + " Default: ${DEFAULT-VALUE}.")
    int mirostat = MirostatOptions.OFF.version();

    @Option(
            names = "--mirostat-ent",
            paramLabel = "X",
            description = "Wanted surprise of a token in bits (tau). Default: ${DEFAULT-VALUE}.")
    float mirostatTau = MirostatOptions.OFF.tau();

    @Option(
            names = "--mirostat-lr",
            paramLabel = "X",
            description = "How fast its limit follows (eta). Default: ${DEFAULT-VALUE}.")
    float mirostatEta = MirostatOptions.OFF.eta();

    /**
     * Sets what is asked for.
     *
     * @throws dev.tandem.spi.UsageException where a value is out of its range
     */
    SamplingOptions.Builder apply(SamplingOptions.Builder builder) {
        return builder.samplers(SamplerKind.parse(order))
                .topNSigma(topNSigma)
                .typicalP(typicalP)
                .xtc(new XtcOptions(xtcProbability, xtcThreshold))
                .dry(new DryOptions(dryMultiplier, dryBase, dryAllowedLength, dryLastN, breakers()))
                .dynamicTemperature(new DynamicTemperature(dynamicRange, dynamicExponent))
                .mirostat(new MirostatOptions(mirostat, mirostatTau, mirostatEta));
    }

    private List<String> breakers() {
        if (dryBreakers.isEmpty()) {
            return DryOptions.DEFAULT_BREAKERS;
        }
        return dryBreakers.stream()
                .filter(breaker -> !breaker.equals(NO_BREAKERS))
                .map(breaker -> breaker.replace("\\n", "\n"))
                .toList();
    }
}
