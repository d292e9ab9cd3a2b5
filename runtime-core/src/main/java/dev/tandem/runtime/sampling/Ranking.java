package dev.tandem.runtime.sampling;

import java.util.Arrays;

/**
 * The beginning of the contract's ranking of (value, id) pairs: value descending, id ascending, NaN last, −0 equal to
 * +0.
 *
 * <p>A pair is one long that sorts as the ranking does: the high half falls as the value rises, the low half is the id.
 * Up to {@value #HEAP_LIMIT} pairs are found with a bounded heap whose root is the worst pair kept; more, by sorting
 * all.
 */
final class Ranking {
    private static final int HEAP_LIMIT = 1024;
    private static final int MAGNITUDE_BITS = 0x7FFFFFFF;

    private long[] keys = new long[0];

    /**
     * Finds the first {@code k} of {@code n} pairs; k is from 1 to n.
     *
     * @return k
     */
    int rank(float[] values, int[] ids, int n, int k) {
        boolean byHeap = k <= HEAP_LIMIT;
        int needed = byHeap ? k : n;
        if (keys.length < needed) {
            keys = new long[needed];
        }
        for (int i = 0; i < needed; i++) {
            keys[i] = key(values[i], ids[i]);
        }
        if (byHeap) {
            select(values, ids, n, k);
        }
        Arrays.sort(keys, 0, needed);
        return k;
    }

    /** The id at a rank, 0 for the best. */
    int id(int rank) {
        return (int) keys[rank];
    }

    /** The value at a rank; −0 has become +0. */
    float value(int rank) {
        int ordered = ~(int) (keys[rank] >> Integer.SIZE);
        return Float.intBitsToFloat(ordered ^ ((ordered >> (Integer.SIZE - 1)) & MAGNITUDE_BITS));
    }

    private static long key(float value, int id) {
        int bits = Float.floatToRawIntBits(value + 0f);
        int rising = bits ^ ((bits >> (Integer.SIZE - 1)) & MAGNITUDE_BITS);
        int falling = Float.isNaN(value) ? Integer.MAX_VALUE : ~rising;
        return ((long) falling << Integer.SIZE) | id;
    }

    private void select(float[] values, int[] ids, int n, int k) {
        for (int root = k / 2 - 1; root >= 0; root--) {
            siftDown(root, k);
        }
        float worst = value(0);
        for (int i = k; i < n; i++) {
            if (values[i] < worst) {
                continue; // nearly every pair of a large vocabulary
            }
            long key = key(values[i], ids[i]);
            if (key < keys[0]) {
                keys[0] = key;
                siftDown(0, k);
                worst = value(0);
            }
        }
    }

    private void siftDown(int root, int k) {
        long sinking = keys[root];
        int parent = root;
        int child = 2 * parent + 1;
        while (child < k) {
            if (child + 1 < k && keys[child + 1] > keys[child]) {
                child++;
            }
            if (keys[child] <= sinking) {
                break;
            }
            keys[parent] = keys[child];
            parent = child;
            child = 2 * parent + 1;
        }
        keys[parent] = sinking;
    }
}
