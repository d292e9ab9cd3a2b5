package dev.tandem.testkit.oracle;

import dev.tandem.spi.backend.StepKind;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of an open step.
 *
 * @param kind what they are
 * @param parents per row, its parent or -1
 */
record OpenStep(StepKind kind, int[] parents) {
    OpenStep {
        parents = parents.clone();
        for (int row = 0; row < parents.length; row++) {
            if (parents[row] < -1 || parents[row] >= row) {
                throw new IllegalArgumentException("parent " + parents[row] + " of row " + row + " is not before it");
            }
            if (kind != StepKind.VERIFY && parents[row] != row - 1) {
                throw new IllegalArgumentException("rows of a " + kind + " step form a chain");
            }
        }
        if (kind == StepKind.DECODE && parents.length != 1) {
            throw new IllegalArgumentException("a DECODE step of " + parents.length + " rows");
        }
    }

    int rows() {
        return parents.length;
    }

    /** Rows from a child of the last committed row to this one. */
    List<Integer> path(int row) {
        List<Integer> path = new ArrayList<>();
        for (int at = row; at >= 0; at = parents[at]) {
            path.addFirst(at);
        }
        return path;
    }

    void checkPath(int[] path) {
        int last = -1;
        for (int row : path) {
            if (row < 0 || row >= parents.length || parents[row] != last) {
                throw new IllegalArgumentException("row " + row + " is no child of row " + last);
            }
            last = row;
        }
        if (kind != StepKind.VERIFY && path.length > 0 && path.length < parents.length) {
            throw new IllegalArgumentException(
                    path.length + " of " + parents.length + " rows of a " + kind + " step cannot be kept alone");
        }
    }
}
