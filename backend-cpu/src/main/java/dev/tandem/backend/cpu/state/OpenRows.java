package dev.tandem.backend.cpu.state;

import dev.tandem.spi.backend.StepKind;

/** The rows of an open step and their tree. */
public final class OpenRows {
    private final StepKind kind;
    private final int[] parents;
    private final int[] depths;
    private final boolean chain;

    OpenRows(StepKind kind, int[] parents) {
        this.kind = kind;
        this.parents = parents.clone();
        this.depths = new int[parents.length];
        boolean isChain = true;
        for (int i = 0; i < parents.length; i++) {
            int parent = parents[i];
            if (parent < -1 || parent >= i) {
                throw new IllegalArgumentException(
                        "row " + i + " has parent " + parent + ", which does not precede it");
            }
            depths[i] = parent < 0 ? 0 : depths[parent] + 1;
            isChain &= parent == i - 1;
        }
        this.chain = isChain;
        if (!chain && kind != StepKind.VERIFY) {
            throw new IllegalArgumentException("a " + kind + " step is a chain");
        }
        if (kind == StepKind.DECODE && parents.length != 1) {
            throw new IllegalArgumentException("a DECODE step has one row, not " + parents.length);
        }
    }

    /** Number of rows. */
    public int count() {
        return parents.length;
    }

    /** Whether each row's parent is the row before it. */
    public boolean chain() {
        return chain;
    }

    /** Parent of a row, or -1. */
    public int parent(int row) {
        return parents[row];
    }

    /** Steps from the last committed row to this one, less one. */
    public int depth(int row) {
        return depths[row];
    }

    /** Rows from a child of the last committed row to this one. */
    public int[] path(int row) {
        int[] path = new int[depths[row] + 1];
        for (int at = row, i = path.length - 1; i >= 0; at = parents[at], i--) {
            path[i] = at;
        }
        return path;
    }

    void checkPath(int[] path) {
        int parent = -1;
        for (int row : path) {
            if (row < 0 || row >= parents.length || parents[row] != parent) {
                throw new IllegalArgumentException("row " + row + " does not follow row " + parent + " in the step");
            }
            parent = row;
        }
        if (kind != StepKind.VERIFY && path.length != 0 && path.length != parents.length) {
            throw new IllegalArgumentException(
                    "a " + kind + " step keeps all its " + parents.length + " rows or none, not " + path.length);
        }
    }
}
