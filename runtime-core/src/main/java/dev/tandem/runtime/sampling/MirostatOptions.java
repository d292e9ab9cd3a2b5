package dev.tandem.runtime.sampling;

/**
 * Control of the surprise of a text.
 *
 * @param version 2, or 0 for off
 * @param tau wanted surprise of a token in bits, above 0
 * @param eta how fast the limit follows, above 0
 */
public record MirostatOptions(int version, float tau, float eta) {
    /** Off, with the usual numbers. */
    public static final MirostatOptions OFF = new MirostatOptions(0, 5f, 0.1f);

    /**
     * Validates every option.
     *
     * @throws dev.tandem.spi.UsageException where one is out of its range
     */
    public MirostatOptions {
        SamplingOptions.require(version == 0 || version == 2, "--mirostat", version, "0 (off) or 2");
        SamplingOptions.require(tau > 0f && Float.isFinite(tau), "--mirostat-ent", tau, "a number above 0");
        SamplingOptions.require(eta > 0f && Float.isFinite(eta), "--mirostat-lr", eta, "a number above 0");
    }

    boolean isOn() {
        return version != 0;
    }
}
