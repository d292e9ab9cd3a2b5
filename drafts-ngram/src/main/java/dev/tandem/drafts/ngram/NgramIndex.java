package dev.tandem.drafts.ngram;

import java.util.Arrays;

/**
 * Where each run of {@code n} tokens stands in a sequence, newest first. Places whose runs hash alike form a chain, from
 * the newest to the oldest, so that adding a token and taking the newest one back each touch one chain's head.
 */
final class NgramIndex {
    private static final int FIRST_BUCKETS = 256;
    /** 2 to the 32nd, divided by the golden ratio: spreads consecutive ids (Knuth, TAOCP 3, 6.4). */
    private static final int SPREAD = 0x9E3779B1;

    private final int n;
    /** Per bucket, the newest place plus 1. A place is the index of a run's last token. */
    private int[] heads = new int[FIRST_BUCKETS];
    /** Per place, the next older one in its bucket plus 1. */
    private int[] older = new int[FIRST_BUCKETS / 2];

    NgramIndex(int n) {
        this.n = n;
    }

    /** Adds the run that ends at a token; those before it have been added. */
    void add(int[] tokens, int end) {
        if (end >= older.length) {
            grow(tokens, end);
        }
        if (end >= n - 1) {
            int bucket = bucket(tokens, end);
            older[end] = heads[bucket];
            heads[bucket] = end + 1;
        }
    }

    /** Takes back the run that ends at the newest token. */
    void removeNewest(int[] tokens, int end) {
        if (end >= n - 1) {
            heads[bucket(tokens, end)] = older[end];
        }
    }

    private void grow(int[] tokens, int size) {
        older = Arrays.copyOf(older, 2 * older.length);
        heads = new int[2 * heads.length];
        for (int end = n - 1; end < size; end++) {
            int bucket = bucket(tokens, end);
            older[end] = heads[bucket];
            heads[bucket] = end + 1;
        }
    }

    /**
     * The newest place of the run that ends at a token.
     *
     * @param tokens the sequence and perhaps tokens after it
     * @param end the run's last token, behind all places
     * @return the index of the place's last token; -1 where there is none
     */
    int newest(int[] tokens, int end) {
        return end < n - 1 ? -1 : matching(tokens, end, heads[bucket(tokens, end)] - 1);
    }

    /** The next older place of the same run after one that was found. */
    int olderThan(int place, int[] tokens, int end) {
        return matching(tokens, end, older[place] - 1);
    }

    /** Other runs may share the bucket. */
    private int matching(int[] tokens, int end, int candidate) {
        int place = candidate;
        while (place >= 0 && !Arrays.equals(tokens, place - n + 1, place + 1, tokens, end - n + 1, end + 1)) {
            place = older[place] - 1;
        }
        return place;
    }

    private int bucket(int[] tokens, int end) {
        int hash = 0;
        for (int i = end - n + 1; i <= end; i++) {
            hash = (hash ^ tokens[i]) * SPREAD;
            hash ^= hash >>> 15;
        }
        return hash & (heads.length - 1);
    }
}
