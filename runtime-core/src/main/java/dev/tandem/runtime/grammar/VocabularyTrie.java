package dev.tandem.runtime.grammar;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The byte strings of a vocabulary as a tree in depth-first order, so that a walk is one loop that can jump over what a dead
 * prefix begins. Immutable and thread-safe.
 */
final class VocabularyTrie {
    /** By node: its byte. */
    private final byte[] bytes;
    /** By node: its distance from the root, 1 for a first byte. */
    private final int[] depths;
    /** By node: the node behind all below it. */
    private final int[] ends;
    /** By node: where its tokens begin in {@link #ids}; they end where the next node's begin. */
    private final int[] firstIds;

    private final int[] ids;
    private final int nodes;
    private final int deepest;

    /**
     * Builds the tree.
     *
     * @param texts bytes by id; none for a token that is no text
     */
    VocabularyTrie(byte[][] texts) {
        int[] sorted = IntStream.range(0, texts.length)
                .filter(id -> texts[id].length > 0)
                .boxed()
                .sorted(Comparator.<Integer, byte[]>comparing(id -> texts[id], Arrays::compareUnsigned)
                        .thenComparing(Comparator.naturalOrder()))
                .mapToInt(Integer::intValue)
                .toArray();
        int most = Arrays.stream(sorted).map(id -> texts[id].length).sum();
        this.ids = sorted;
        this.bytes = new byte[most];
        this.depths = new int[most];
        this.ends = new int[most];
        this.firstIds = new int[most + 1];
        this.nodes = build(texts);
        this.deepest = Arrays.stream(sorted).map(id -> texts[id].length).max().orElse(0);
    }

    /** Makes the nodes of each text that the one before did not make; the number of nodes. */
    private int build(byte[][] texts) {
        int count = 0;
        byte[] before = {};
        for (int i = 0; i < ids.length; i++) {
            byte[] text = texts[ids[i]];
            int shared = Arrays.mismatch(before, text);
            for (int depth = shared < 0 ? text.length : shared; depth < text.length; depth++) {
                bytes[count] = text[depth];
                depths[count] = depth + 1;
                firstIds[count] = i;
                count++;
            }
            before = text;
        }
        firstIds[count] = ids.length;
        fillEnds(count);
        return count;
    }

    private void fillEnds(int count) {
        for (int node = count - 1; node >= 0; node--) {
            int end = node + 1;
            while (end < count && depths[end] > depths[node]) {
                end = ends[end];
            }
            ends[node] = end;
        }
    }

    /**
     * The tokens whose bytes a recogniser can take.
     *
     * @param recogniser follows them
     * @param from the state before them
     * @return a new set
     */
    BitSet allowed(Recogniser recogniser, Recogniser.State from) {
        BitSet allowed = new BitSet();
        Recogniser.State[] path = new Recogniser.State[deepest + 1];
        path[0] = from;
        int node = 0;
        while (node < nodes) {
            int depth = depths[node];
            Recogniser.State state = recogniser.next(path[depth - 1], Byte.toUnsignedInt(bytes[node]));
            if (state.isDead()) {
                node = ends[node];
                continue;
            }
            path[depth] = state;
            for (int i = firstIds[node]; i < firstIds[node + 1]; i++) {
                allowed.set(ids[i]);
            }
            node++;
        }
        return allowed;
    }
}
