package dev.tandem.runtime.decode;

/**
 * How long a generation took.
 *
 * @param promptTokens tokens of the prompt that were run (a reused beginning is not)
 * @param prefillNanos time from the request to the logits of the last prompt token
 * @param decodedTokens tokens run one by one after the prompt
 * @param decodeNanos time of those
 */
public record Timings(int promptTokens, long prefillNanos, int decodedTokens, long decodeNanos) {
    /** Prompt tokens per second; 0 where nothing was run. */
    public double prefillPerSecond() {
        return perSecond(promptTokens, prefillNanos);
    }

    /** Decoded tokens per second; 0 where nothing was run. */
    public double decodePerSecond() {
        return perSecond(decodedTokens, decodeNanos);
    }

    private static double perSecond(int tokens, long nanos) {
        return tokens == 0 || nanos <= 0 ? 0 : tokens * 1e9 / nanos;
    }
}
