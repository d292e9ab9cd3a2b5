package dev.tandem.runtime.sampling;

import dev.tandem.spi.numeric.Sums;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Natural logarithms of the probabilities of a row: logit − logSumExp, in f32 by the contract, at temperature 1. */
public final class LogProbabilities {
    private LogProbabilities() {}

    /**
     * A token and its logarithm.
     *
     * @param id the token
     * @param logProbability ln of its probability; at most 0 but for rounding, −∞ for an impossible token
     */
    public record Entry(int id, float logProbability) {}

    /**
     * The likeliest tokens of a row.
     *
     * @param logits logits
     * @param offset logit of id 0
     * @param vocabulary number of logits
     * @param k how many, at least 0; more than the vocabulary gives the whole vocabulary
     * @return entries, likeliest first, the lower id first on a tie
     */
    public static List<Entry> top(float[] logits, int offset, int vocabulary, int k) {
        int count = Math.min(k, vocabulary);
        if (count == 0) {
            return List.of();
        }
        float logSum = Sums.logSumExp(logits, offset, vocabulary);
        List<Entry> entries = new ArrayList<>(count);
        for (int id : Sums.topK(logits, offset, vocabulary, count)) {
            entries.add(new Entry(id, logits[offset + id] - logSum));
        }
        return List.copyOf(entries);
    }

    /**
     * The logarithm of one token.
     *
     * @param logits logits
     * @param offset logit of id 0
     * @param vocabulary number of logits
     * @param id the token, below {@code vocabulary}
     * @return ln of its probability
     */
    public static float of(float[] logits, int offset, int vocabulary, int id) {
        Objects.checkIndex(id, vocabulary);
        return logits[offset + id] - Sums.logSumExp(logits, offset, vocabulary);
    }
}
