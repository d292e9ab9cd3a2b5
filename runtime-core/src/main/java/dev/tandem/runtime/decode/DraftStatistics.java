package dev.tandem.runtime.decode;

import java.util.List;
import java.util.Optional;

/**
 * What guessing ahead did for one generation. Every pass of the target gives one token and those it accepts:
 * {@code tokens = passes + accepted}, unless the generation was cancelled in between.
 *
 * @param strategy id of the draft strategy
 * @param parked why it is not asked any more, with its fault; empty where it is
 * @param passes passes of the target after the prompt, with guesses or without
 * @param rounds passes with guesses
 * @param tokens chosen from those passes
 * @param drafted guesses that the target verified
 * @param accepted guesses that it confirmed
 * @param depths per distance from the current token, nearest first
 * @param draftNanos time spent waiting for guesses
 * @param verifyNanos time of the passes
 * @param commitNanos time of keeping the confirmed path
 */
public record DraftStatistics(
        String strategy,
        Optional<String> parked,
        int passes,
        int rounds,
        int tokens,
        int drafted,
        int accepted,
        List<Depth> depths,
        long draftNanos,
        long verifyNanos,
        long commitNanos) {
    /** Copies the list. */
    public DraftStatistics {
        depths = List.copyOf(depths);
    }

    /**
     * Guesses at one distance from the current token.
     *
     * @param offered rounds with a guess so far away
     * @param reached those in which every nearer guess on the way was confirmed, except where the generation ended there
     * @param accepted those in which this one was, too
     */
    public record Depth(int offered, int reached, int accepted) {
        /** Share of the rounds that offered a guess here in which it was confirmed; 0 without any. */
        public double rate() {
            return ratio(accepted, offered);
        }

        /** The same, of the rounds that got this far. */
        public double conditionalRate() {
            return ratio(accepted, reached);
        }
    }

    /** Tokens per pass of the target: 1 without guessing; 0 where there was no pass. */
    public double tokensPerPass() {
        return ratio(tokens, passes);
    }

    /** Share of the guesses that were confirmed; 0 without any. */
    public double acceptanceRate() {
        return ratio(accepted, drafted);
    }

    private static double ratio(int part, int whole) {
        return whole == 0 ? 0 : (double) part / whole;
    }
}
