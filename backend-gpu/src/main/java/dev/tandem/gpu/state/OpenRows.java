package dev.tandem.gpu.state;

import dev.tandem.spi.backend.StepKind;

/** The rows of an open step and their tree. */
public final class OpenRows {
    private final StepKind kind;
    private final int[] parents;
    private final int[] depths;

    OpenRows(StepKind kind, int[] parents) {
        this.kind = kind;
        this.parents = parents.clone();
        this.depths = new int[parents.length];
        for (int row = 0; row < parents.length; row++) {
            int parent = parents[row];
            if (parent < -1 || parent >= row) {
                throw new IllegalArgumentException(
                        "row " + row + " has parent " + parent + ", which does not precede it");
            }
            if (kind != StepKind.VERIFY && parent != row - 1) {
                throw new IllegalArgumentException("a " + kind + " step is a chain");
            }
            depths[row] = parent < 0 ? 0 : depths[parent] + 1;
        }
        if (kind == StepKind.DECODE && parents.length != 1) {
            throw new IllegalArgumentException("a DECODE step has one row, not " + parents.length);
        }
    }

    /** Number of rows. */
    public int count() {
        return parents.length;
    }

    /** The row before a row on its path, or -1. */
    public int parent(int row) {
        return parents[row];
    }

    /** Steps from the last committed row to this one, less one. */
    public int depth(int row) {
        return depths[row];
    }

    /** Refuses what is no path downwards from the committed rows. */
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
