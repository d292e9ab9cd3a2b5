package dev.tandem.drafts.ngram;

import dev.tandem.spi.draft.DraftProposal;
import java.util.Arrays;

/** Collects what followed earlier places into one tree. */
final class Guesses {
    private final int[] sequence;
    private final int current;
    private final int maxDepth;
    private final int[] tokens;
    private final int[] parents;
    private int size;

    /**
     * An empty tree.
     *
     * @param sequence tokens
     * @param current index of the current token, the last one
     * @param maxDepth longest path
     * @param maxNodes most nodes
     */
    Guesses(int[] sequence, int current, int maxDepth, int maxNodes) {
        this.sequence = sequence;
        this.current = current;
        this.maxDepth = maxDepth;
        this.tokens = new int[maxNodes];
        this.parents = new int[maxNodes];
    }

    /**
     * Adds the tokens behind a place, sharing the beginning with paths that are there. A path that reaches the current
     * token goes on with its own beginning, so that a run of period k is guessed to any depth.
     */
    void follow(int place) {
        int period = current - place;
        int[] path = new int[maxDepth];
        int node = -1;
        for (int i = 0; i < maxDepth; i++) {
            path[i] = i < period ? sequence[place + 1 + i] : path[i - period];
            int known = child(node, path[i]);
            if (known < 0) {
                if (size == tokens.length) {
                    return;
                }
                known = size++;
                tokens[known] = path[i];
                parents[known] = node;
            }
            node = known;
        }
    }

    private int child(int parent, int token) {
        for (int i = parent + 1; i < size; i++) {
            if (parents[i] == parent && tokens[i] == token) {
                return i;
            }
        }
        return -1;
    }

    DraftProposal proposal() {
        return size == 0
                ? DraftProposal.NONE
                : new DraftProposal(Arrays.copyOf(tokens, size), Arrays.copyOf(parents, size), new float[0]);
    }
}
