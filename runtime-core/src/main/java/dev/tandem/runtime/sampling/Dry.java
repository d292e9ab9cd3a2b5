package dev.tandem.runtime.sampling;

import java.util.function.IntFunction;

/**
 * Lowers the logits of ids that would lengthen a repetition ("don't repeat yourself").
 *
 * <p>Where the last L ids of the history also stand earlier in it, followed by an id, that id loses
 * multiplier · base^(L − allowed length), L being the greatest such length; nothing below the allowed length. The power is
 * multiplied up in f32 and the loss ends at 1e30, so that no id is banned. The L ids hold no sequence breaker: a repetition
 * reaches back to just behind the last id in whose bytes a breaker ends. An id that holds a whole breaker loses nothing.
 */
final class Dry implements SamplerStage {
    private static final float MOST = 1e30f;

    private final DryOptions options;
    private final SequenceBreakers breakers;
    private int[] window = new int[0];
    private int[] matches = new int[0];
    /** Greatest match that an id would lengthen; all 0 between calls. */
    private int[] lengths = new int[0];

    Dry(DryOptions options, IntFunction<byte[]> bytes) {
        this.options = options;
        this.breakers = new SequenceBreakers(options.sequenceBreakers(), bytes);
    }

    @Override
    public void apply(Candidates candidates, TokenHistory history, long position) {
        int n = options.lastN() == SamplingOptions.WHOLE_HISTORY
                ? history.size()
                : Math.min(options.lastN(), history.size());
        reserve(n, candidates.vocabulary());
        history.copyLast(n, window);
        int longest = breakers.unbroken(window, n);
        if (longest < options.allowedLength()) {
            return;
        }
        measure(n);
        for (int back = 1; back < n; back++) {
            int id = window[n - back];
            lengths[id] = Math.max(lengths[id], Math.min(matches[back], longest));
        }
        for (int i = 0; i < candidates.size(); i++) {
            int length = lengths[candidates.id(i)];
            if (length >= options.allowedLength() && !breakers.holdsOne(candidates.id(i))) {
                candidates.setLogit(i, candidates.logit(i) - penalty(length));
            }
        }
        for (int i = 0; i < n; i++) {
            lengths[window[i]] = 0;
        }
    }

    /**
     * By distance from the end: how many ids before it equal the last ids of the window. It is the Z array of the reversed
     * window (Gusfield, "Algorithms on Strings, Trees and Sequences", 1997), in time linear in n.
     */
    private void measure(int n) {
        int start = 0;
        int end = 0;
        for (int k = 1; k < n; k++) {
            int length = k < end ? Math.min(end - k, matches[k - start]) : 0;
            while (k + length < n && window[n - 1 - length] == window[n - 1 - k - length]) {
                length++;
            }
            matches[k] = length;
            if (k + length > end) {
                start = k;
                end = k + length;
            }
        }
    }

    private float penalty(int length) {
        float penalty = options.multiplier();
        for (int i = options.allowedLength(); i < length && penalty < MOST; i++) {
            penalty *= options.base();
        }
        return Math.min(penalty, MOST);
    }

    private void reserve(int n, int vocabulary) {
        if (window.length < n) {
            window = new int[Math.max(n, 2 * window.length)];
            matches = new int[window.length];
        }
        if (lengths.length < vocabulary) {
            lengths = new int[vocabulary];
        }
    }
}
