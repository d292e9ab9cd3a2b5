package dev.tandem.spi.numeric;

import dev.tandem.spi.graph.RopeSpec;

/**
 * The part of each frequency that YaRN interpolates: 0 up to pair {@code low}, 1 from pair {@code high} on.
 *
 * <p>Peng et al., "YaRN: Efficient Context Window Extension of Large Language Models", 2023, section 3.2. A pair turns
 * {@code b} times within the original context at index dims · ln(originalContext / (2π b)) / (2 ln base); betaFast gives
 * low, betaSlow high, rounded outwards where the spec says so, and kept within [0, dims − 1].
 *
 * @param low last pair that is left alone
 * @param high first pair that is fully interpolated
 */
record YarnRamp(double low, double high) {
    /** Width of a ramp whose ends coincide or would cross. */
    private static final double NARROWEST = 0.001;

    static YarnRamp of(RopeSpec spec, RopeSpec.Scaling.Yarn yarn) {
        double low = correctionIndex(spec, yarn, yarn.betaFast());
        double high = correctionIndex(spec, yarn, yarn.betaSlow());
        if (yarn.roundCorrectionRange()) {
            low = StrictMath.floor(low);
            high = StrictMath.ceil(high);
        }
        low = StrictMath.max(low, 0);
        high = StrictMath.min(high, spec.rotaryDims() - 1);
        return new YarnRamp(low, StrictMath.max(high, low + NARROWEST));
    }

    private static double correctionIndex(RopeSpec spec, RopeSpec.Scaling.Yarn yarn, double turns) {
        double ratio = yarn.originalContext() / (turns * 2 * StrictMath.PI);
        return spec.rotaryDims() * StrictMath.log(ratio) / (2 * StrictMath.log(spec.base()));
    }

    /** The part of pair {@code i} that is interpolated, in [0, 1]. */
    double at(int i) {
        return StrictMath.min(1, StrictMath.max(0, (i - low) / (high - low)));
    }

    void apply(double[] frequencies, double factor) {
        for (int i = 0; i < frequencies.length; i++) {
            double ramp = at(i);
            frequencies[i] = frequencies[i] / factor * ramp + frequencies[i] * (1 - ramp);
        }
    }
}
