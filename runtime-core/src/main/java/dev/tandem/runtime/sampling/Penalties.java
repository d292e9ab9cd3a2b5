package dev.tandem.runtime.sampling;

/**
 * Lowers the logits of ids among the last N of the history.
 *
 * <p>For an id seen {@code count} times: l = logit / repeat where the logit is above 0, logit · repeat elsewhere; then
 * l − (count · frequency + presence). Each operation rounds to f32. The repetition factor is that of Keskar and others,
 * "CTRL: A Conditional Transformer Language Model for Controllable Generation" (2019), with the sign respected; the
 * other two are those of the common completion APIs.
 */
final class Penalties implements SamplerStage {
    private final float repeat;
    private final float presence;
    private final float frequency;
    private final int lastN;
    private int[] window = new int[0];
    /** Occurrences by id; all 0 between calls. */
    private int[] counts = new int[0];

    Penalties(SamplingOptions options) {
        this.repeat = options.repeatPenalty();
        this.presence = options.presencePenalty();
        this.frequency = options.frequencyPenalty();
        this.lastN = options.repeatLastN();
    }

    @Override
    public void apply(Candidates candidates, TokenHistory history, long position) {
        int n = lastN == SamplingOptions.WHOLE_HISTORY ? history.size() : Math.min(lastN, history.size());
        reserve(n, candidates.vocabulary());
        history.copyLast(n, window);
        for (int i = 0; i < n; i++) {
            counts[window[i]]++;
        }
        for (int i = 0; i < candidates.size(); i++) {
            int count = counts[candidates.id(i)];
            if (count > 0) {
                candidates.setLogit(i, penalised(candidates.logit(i), count));
            }
        }
        for (int i = 0; i < n; i++) {
            counts[window[i]] = 0;
        }
    }

    private float penalised(float logit, int count) {
        float repeated = logit > 0f ? logit / repeat : logit * repeat;
        return repeated - (count * frequency + presence);
    }

    private void reserve(int n, int vocabulary) {
        if (window.length < n) {
            window = new int[Math.max(n, 2 * window.length)];
        }
        if (counts.length < vocabulary) {
            counts = new int[vocabulary];
        }
    }
}
