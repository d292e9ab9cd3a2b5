package dev.tandem.runtime.tokenizer;

import java.util.Arrays;

/** A growing list of token ids, each with the bytes of the text's UTF-8 that it stands for. */
final class IdList {
    private int[] ids = new int[64];
    private int[] starts = new int[64];
    private int[] ends = new int[64];
    private int size;
    private int position;

    /**
     * Adds a token that stands for the next bytes of the text.
     *
     * @param id of the vocabulary
     * @param bytes how many; 0 for a token that is not in the text
     */
    void add(int id, int bytes) {
        if (size == ids.length) {
            ids = Arrays.copyOf(ids, 2 * size);
            starts = Arrays.copyOf(starts, 2 * size);
            ends = Arrays.copyOf(ends, 2 * size);
        }
        ids[size] = id;
        starts[size] = position;
        position += bytes;
        ends[size++] = position;
    }

    /** Passes over bytes for which no token stands. */
    void skip(int bytes) {
        position += bytes;
    }

    int[] toArray() {
        return Arrays.copyOf(ids, size);
    }

    Encoding toEncoding() {
        return new Encoding(toArray(), Arrays.copyOf(starts, size), Arrays.copyOf(ends, size));
    }
}
