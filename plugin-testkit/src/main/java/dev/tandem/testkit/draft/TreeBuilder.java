package dev.tandem.testkit.draft;

import dev.tandem.spi.draft.DraftProposal;
import java.util.Arrays;

/** Collects the nodes of a proposal. */
final class TreeBuilder {
    private final int[] tokens;
    private final int[] parents;
    private int size;

    TreeBuilder(int most) {
        tokens = new int[most];
        parents = new int[most];
    }

    boolean full() {
        return size == tokens.length;
    }

    /** Adds a node; answers its index. */
    int add(int parent, int token) {
        tokens[size] = token;
        parents[size] = parent;
        return size++;
    }

    /** Whether a node has a child that holds a token. */
    boolean has(int parent, int token) {
        for (int i = 0; i < size; i++) {
            if (parents[i] == parent && tokens[i] == token) {
                return true;
            }
        }
        return false;
    }

    DraftProposal build() {
        return new DraftProposal(Arrays.copyOf(tokens, size), Arrays.copyOf(parents, size), new float[0]);
    }
}
