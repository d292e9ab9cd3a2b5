package dev.tandem.runtime.tokenizer;

import java.util.Arrays;

/** The merges that a byte-pair vocabulary lists, by pair of ids. */
final class MergeTable implements Merges {
    private final long[] keys;
    private final int[] ranks;
    private final int[] merged;

    /**
     * An empty table.
     *
     * @param merges how many will be added, at most
     */
    MergeTable(int merges) {
        // A power of two, at most half full, so that probing stays short and always meets a free slot.
        int slots = Integer.highestOneBit(Math.max(merges, 1)) << 2;
        keys = new long[slots];
        ranks = new int[slots];
        Arrays.fill(ranks, NONE);
        merged = new int[slots];
    }

    /** Adds a merge; where a pair comes twice, the earlier rank stands. */
    void add(int rank, int left, int right, int result) {
        int slot = slotOf(key(left, right));
        if (ranks[slot] == NONE) {
            keys[slot] = key(left, right);
            ranks[slot] = rank;
            merged[slot] = result;
        }
    }

    @Override
    public int rank(int left, int right) {
        return ranks[slotOf(key(left, right))];
    }

    @Override
    public int result(int left, int right) {
        return merged[slotOf(key(left, right))];
    }

    private int slotOf(long key) {
        int mask = keys.length - 1;
        int slot = (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & mask;
        while (ranks[slot] != NONE && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private static long key(int left, int right) {
        return ((long) left << 32) | (right & 0xFFFFFFFFL);
    }
}
