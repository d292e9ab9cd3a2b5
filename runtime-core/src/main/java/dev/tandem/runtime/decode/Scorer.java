package dev.tandem.runtime.decode;

import dev.tandem.runtime.state.Sequence;
import dev.tandem.spi.numeric.Sums;

/** Loss of a text: the negative log-probability of each token given those before it. */
public final class Scorer {
    /** Rows of logits held at once. */
    private static final int ROWS = 64;

    private final Target target;

    /**
     * A scorer.
     *
     * @param target runs the model
     */
    public Scorer(Target target) {
        this.target = target;
    }

    /** Hears how many tokens have been scored. */
    @FunctionalInterface
    public interface Progress {
        /**
         * Some tokens are done.
         *
         * @param done tokens so far
         * @param total tokens of the text
         */
        void at(int done, int total);
    }

    /**
     * Scores a text. One longer than the context is run in windows that overlap by half, so that every token but the
     * first of the text has at least half a context before it where the text has.
     *
     * @param tokens at least two
     * @param progress called after each step
     * @return one loss in nats per token but the first
     */
    public float[] losses(int[] tokens, Progress progress) {
        float[] losses = new float[tokens.length - 1];
        int window = target.contextRows();
        int scored = 0;
        for (int start = 0; scored < losses.length; start += Math.max(1, window / 2)) {
            int end = Math.min(tokens.length, start + window);
            scoreWindow(tokens, start, end, scored, losses, progress);
            scored = end - 1;
        }
        return losses;
    }

    /** Fills the losses of tokens {@code scored + 1} to {@code end - 1}, running the tokens from {@code start}. */
    private void scoreWindow(int[] tokens, int start, int end, int scored, float[] losses, Progress progress) {
        Sequence sequence = target.newSequence();
        try {
            int vocabulary = target.vocabulary();
            int step = Math.min(ROWS, target.maxStepRows());
            float[] logits = new float[Math.multiplyExact(step, vocabulary)];
            for (int at = start; at < end - 1; at += step) {
                int count = Math.min(step, end - 1 - at);
                int firstWanted = Math.clamp((long) scored - at, 0, count);
                int[] wanted = new int[count - firstWanted];
                for (int i = 0; i < wanted.length; i++) {
                    wanted[i] = firstWanted + i;
                }
                int[] chunk = new int[count];
                System.arraycopy(tokens, at, chunk, 0, count);
                target.run(sequence, chunk, wanted, new Taps(0), logits);
                for (int i = 0; i < wanted.length; i++) {
                    int token = at + wanted[i];
                    float logSumExp = Sums.logSumExp(logits, i * vocabulary, vocabulary);
                    losses[token] = logSumExp - logits[i * vocabulary + tokens[token + 1]];
                }
                progress.at(at + count, tokens.length);
            }
        } finally {
            target.close(sequence);
        }
    }
}
