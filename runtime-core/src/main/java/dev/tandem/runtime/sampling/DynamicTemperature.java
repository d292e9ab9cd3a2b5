package dev.tandem.runtime.sampling;

/**
 * A temperature that follows the entropy of the candidates: lower where the model is sure.
 *
 * @param range how far it goes from the temperature to both sides, at least 0; 0 is off
 * @param exponent bends the way from entropy to temperature, above 0; 1 is straight
 */
public record DynamicTemperature(float range, float exponent) {
    /** The temperature stays as it is. */
    public static final DynamicTemperature OFF = new DynamicTemperature(0f, 1f);

    /**
     * Validates both.
     *
     * @throws dev.tandem.spi.UsageException where one is out of its range
     */
    public DynamicTemperature {
        SamplingOptions.require(range >= 0f && Float.isFinite(range), "--dynatemp-range", range, "a number from 0 up");
        SamplingOptions.require(
                exponent > 0f && Float.isFinite(exponent), "--dynatemp-exp", exponent, "a number above 0");
    }

    boolean isOn() {
        return range > 0f;
    }
}
