package dev.tandem.runtime.tokenizer;

import java.util.Arrays;

/**
 * Merges the adjacent tokens of one word, earliest merge first and leftmost first among equals, until none applies.
 *
 * <p>Tokens form a linked list and candidate merges a binary heap, so a word of n bytes takes O(n log n). An instance is
 * reused for many words and belongs to one thread.
 */
final class BytePairMerger {
    private final Merges merges;

    private int size;
    private int[] token = new int[64];
    private int[] previous = new int[64];
    private int[] next = new int[64];
    /** Rank of the merge of the token at an index with its successor: what makes an old heap entry void. */
    private int[] rank = new int[64];

    /** Entries {@code rank << 32 | index}, whose order as numbers is the order of merging. */
    private long[] heap = new long[64];

    private int heapSize;

    BytePairMerger(Merges merges) {
        this.merges = merges;
    }

    /** Starts a new word. */
    void clear() {
        size = 0;
    }

    /** Appends a token to the word; a negative one merges with nothing. */
    void add(int id) {
        if (size == token.length) {
            int capacity = 2 * size;
            token = Arrays.copyOf(token, capacity);
            previous = Arrays.copyOf(previous, capacity);
            next = Arrays.copyOf(next, capacity);
            rank = Arrays.copyOf(rank, capacity);
        }
        token[size] = id;
        previous[size] = size - 1;
        next[size] = size + 1;
        size++;
    }

    /** Merges the word. Afterwards {@link #first} and {@link #after} walk what is left. */
    void merge() {
        heapSize = 0;
        for (int i = 0; i < size; i++) {
            consider(i);
        }
        while (heapSize > 0) {
            long entry = poll();
            int index = (int) entry;
            if (rank[index] == (int) (entry >>> 32)) {
                mergeAt(index);
            }
        }
    }

    /** The index of the first token, or -1 for an empty word. */
    int first() {
        return size == 0 ? -1 : 0;
    }

    /** The index of the token behind one, or -1 at the end. */
    int after(int index) {
        return next[index] < size ? next[index] : -1;
    }

    /** How many of the added tokens the one at an index is made of. */
    int width(int index) {
        return Math.min(next[index], size) - index;
    }

    /** The token at an index that {@link #first} or {@link #after} gave. */
    int token(int index) {
        return token[index];
    }

    private void mergeAt(int index) {
        int absorbed = next[index];
        token[index] = merges.result(token[index], token[absorbed]);
        rank[absorbed] = Merges.NONE;
        next[index] = next[absorbed];
        if (next[index] < size) {
            previous[next[index]] = index;
        }
        consider(index);
        if (previous[index] >= 0) {
            consider(previous[index]);
        }
    }

    private void consider(int index) {
        int right = next[index];
        rank[index] = right < size && token[index] >= 0 && token[right] >= 0
                ? merges.rank(token[index], token[right])
                : Merges.NONE;
        if (rank[index] != Merges.NONE) {
            push(((long) rank[index] << 32) | index);
        }
    }

    private void push(long entry) {
        if (heapSize == heap.length) {
            heap = Arrays.copyOf(heap, 2 * heapSize);
        }
        int i = heapSize++;
        for (int parent = (i - 1) / 2; i > 0 && heap[parent] > entry; parent = (i - 1) / 2) {
            heap[i] = heap[parent];
            i = parent;
        }
        heap[i] = entry;
    }

    private long poll() {
        long least = heap[0];
        long last = heap[--heapSize];
        int i = 0;
        for (int child = 1; child < heapSize; child = 2 * i + 1) {
            if (child + 1 < heapSize && heap[child + 1] < heap[child]) {
                child++;
            }
            if (heap[child] >= last) {
                break;
            }
            heap[i] = heap[child];
            i = child;
        }
        heap[i] = last;
        return least;
    }
}
