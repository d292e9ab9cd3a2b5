package dev.tandem.runtime.tokenizer;

import java.util.Arrays;

/** A set of code points given by ranges, for patterns that list what they mean. Immutable and thread-safe. */
final class CodePointSet {
    /** First code points of the ranges, ascending, and their last ones. */
    private final int[] firsts;

    private final int[] lasts;

    /**
     * A set.
     *
     * @param ranges such as {@code 41-5A B5}: hexadecimal, ascending, apart from one another
     */
    CodePointSet(String ranges) {
        String[] parts = ranges.split(" ");
        firsts = new int[parts.length];
        lasts = new int[parts.length];
        for (int i = 0; i < parts.length; i++) {
            String[] ends = parts[i].split("-");
            firsts[i] = Integer.parseInt(ends[0], 16);
            lasts[i] = Integer.parseInt(ends[ends.length - 1], 16);
        }
    }

    boolean contains(int codePoint) {
        int found = Arrays.binarySearch(firsts, codePoint);
        int range = found >= 0 ? found : -found - 2;
        return range >= 0 && codePoint <= lasts[range];
    }
}
