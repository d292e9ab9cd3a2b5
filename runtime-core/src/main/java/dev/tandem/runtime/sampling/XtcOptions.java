package dev.tandem.runtime.sampling;

/**
 * Exclusion of the likeliest tokens.
 *
 * @param probability how often it happens, 0 to 1; 0 is off
 * @param threshold least probability of a token that may be excluded, 0 to 1; above 0.5 nothing is
 */
public record XtcOptions(float probability, float threshold) {
    /** Off, with the usual threshold. */
    public static final XtcOptions OFF = new XtcOptions(0f, 0.1f);

    /**
     * Validates both.
     *
     * @throws dev.tandem.spi.UsageException where one is out of its range
     */
    public XtcOptions {
        SamplingOptions.require(probability >= 0f && probability <= 1f, "--xtc-probability", probability, "in 0..1");
        SamplingOptions.require(threshold >= 0f && threshold <= 1f, "--xtc-threshold", threshold, "in 0..1");
    }

    boolean isOn() {
        return probability > 0f && threshold <= 0.5f;
    }
}
