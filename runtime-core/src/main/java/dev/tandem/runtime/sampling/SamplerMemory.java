package dev.tandem.runtime.sampling;

import java.util.Optional;

/**
 * What a sampler remembers beyond history and position: mirostat's limit.
 *
 * @param options that it was kept with
 * @param limit μ after the last token, in bits
 */
public record SamplerMemory(MirostatOptions options, float limit) {
    /** One word, from which {@link #parse} makes the same bits. */
    public String print() {
        return bits(options.tau()) + ":" + bits(options.eta()) + ":" + bits(limit);
    }

    private static String bits(float value) {
        return Integer.toHexString(Float.floatToRawIntBits(value));
    }

    /** Reads what {@link #print} gave; empty for anything else. */
    public static Optional<SamplerMemory> parse(String text) {
        String[] words = text.split(":", -1);
        if (words.length != 3) {
            return Optional.empty();
        }
        try {
            float tau = Float.intBitsToFloat(Integer.parseUnsignedInt(words[0], 16));
            float eta = Float.intBitsToFloat(Integer.parseUnsignedInt(words[1], 16));
            float limit = Float.intBitsToFloat(Integer.parseUnsignedInt(words[2], 16));
            boolean usable = tau > 0 && eta > 0 && Float.isFinite(tau) && Float.isFinite(eta) && Float.isFinite(limit);
            return usable ? Optional.of(new SamplerMemory(new MirostatOptions(2, tau, eta), limit)) : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
