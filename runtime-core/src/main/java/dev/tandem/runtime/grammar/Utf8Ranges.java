package dev.tandem.runtime.grammar;

import java.util.ArrayList;
import java.util.List;

/** The UTF-8 forms of a range of characters, as sequences of byte ranges. */
final class Utf8Ranges {
    /** Greatest code point of 1, 2, 3 and 4 bytes. */
    private static final int[] LAST_OF_LENGTH = {0x7F, 0x7FF, 0xFFFF, 0x10FFFF};

    private static final int CONTINUATION_BITS = 6;
    private static final int CONTINUATION = 0x80;
    private static final int CONTINUATION_MASK = 0x3F;
    /** Lead bytes of 2, 3 and 4 byte forms without their payload. */
    private static final int[] LEAD = {0, 0xC0, 0xE0, 0xF0};

    private final List<int[][]> sequences = new ArrayList<>();

    private Utf8Ranges() {}

    /** One element for each sequence: by byte its least and greatest value. No two sequences share a form. */
    static List<int[][]> of(CodePointRanges set) {
        Utf8Ranges forms = new Utf8Ranges();
        for (CodePointRanges.Range range : set.ranges()) {
            int first = range.first();
            for (int length = 1; length <= LAST_OF_LENGTH.length && first <= range.last(); length++) {
                int last = Math.min(range.last(), LAST_OF_LENGTH[length - 1]);
                if (first <= last) {
                    forms.split(first, last, length);
                    first = last + 1;
                }
            }
        }
        return forms.sequences;
    }

    /** Cuts a range of equally long forms until each byte behind the first that varies takes all its values. */
    private void split(int first, int last, int length) {
        for (int tail = 1; tail < length; tail++) {
            int mask = (1 << (CONTINUATION_BITS * tail)) - 1;
            if ((first & ~mask) != (last & ~mask)) {
                if ((first & mask) != 0) {
                    split(first, first | mask, length);
                    split((first | mask) + 1, last, length);
                    return;
                }
                if ((last & mask) != mask) {
                    split(first, (last & ~mask) - 1, length);
                    split(last & ~mask, last, length);
                    return;
                }
            }
        }
        int[][] sequence = new int[length][];
        for (int i = 0; i < length; i++) {
            sequence[i] = new int[] {unit(first, i, length), unit(last, i, length)};
        }
        sequences.add(sequence);
    }

    private static int unit(int codePoint, int index, int length) {
        int bits = codePoint >> (CONTINUATION_BITS * (length - 1 - index));
        return index == 0 ? LEAD[length - 1] | bits : CONTINUATION | (bits & CONTINUATION_MASK);
    }
}
