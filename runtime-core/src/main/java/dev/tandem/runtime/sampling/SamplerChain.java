package dev.tandem.runtime.sampling;

import dev.tandem.spi.numeric.Functions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;

/** Builds the links of a chain that are on, in their order. */
final class SamplerChain {
    /** Links that matter at temperature 0. */
    private static final Set<SamplerKind> EDITS = EnumSet.of(SamplerKind.PENALTIES, SamplerKind.DRY);
    /** Links that mirostat does not replace. */
    private static final Set<SamplerKind> WITH_MIROSTAT =
            EnumSet.of(SamplerKind.PENALTIES, SamplerKind.DRY, SamplerKind.TEMPERATURE);

    private final SamplingOptions options;
    private final IntFunction<byte[]> bytes;
    private final List<SamplerStage> stages = new ArrayList<>();

    private SamplerChain(SamplingOptions options, IntFunction<byte[]> bytes) {
        this.options = options;
        this.bytes = bytes;
    }

    static List<SamplerStage> of(SamplingOptions options, IntFunction<byte[]> bytes) {
        SamplerChain chain = new SamplerChain(options, bytes);
        for (SamplerKind kind : options.samplers()) {
            boolean counts = options.isGreedy()
                    ? EDITS.contains(kind)
                    : !options.mirostat().isOn() || WITH_MIROSTAT.contains(kind);
            if (counts) {
                chain.add(kind);
            }
        }
        return List.copyOf(chain.stages);
    }

    private void add(SamplerKind kind) {
        switch (kind) {
            case PENALTIES -> addIf(options.hasPenalties(), new Penalties(options));
            case DRY -> addIf(options.dry().isOn(), new Dry(options.dry(), bytes));
            case TOP_N_SIGMA -> addIf(options.topNSigma() > 0f, new TopNSigma(options.topNSigma()));
            case TOP_K -> addIf(options.topK() > 0, (candidates, history, at) -> candidates.keepBest(options.topK()));
            case TYPICAL_P -> addIf(options.typicalP() < 1f, new TypicalCut(options.typicalP()));
            case TOP_P -> addIf(options.topP() < 1f, (candidates, history, at) -> candidates.keepMass(options.topP()));
            case MIN_P -> addIf(options.minP() > 0f, minP());
            case XTC -> addIf(options.xtc().isOn(), new ExcludeTopChoices(options.xtc(), options.seed()));
            case TEMPERATURE -> stages.add(new Temperature(options.temperature(), options.dynamicTemperature()));
        }
    }

    private void addIf(boolean on, SamplerStage stage) {
        if (on) {
            stages.add(stage);
        }
    }

    private SamplerStage minP() {
        float margin = Functions.log(options.minP());
        return (candidates, history, position) -> candidates.keepAtLeast(candidates.max() + margin);
    }
}
