package dev.tandem.runtime.grammar;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A set of Unicode scalar values: no surrogates, which UTF-8 cannot hold.
 *
 * @param ranges ascending, disjoint and not adjacent
 */
record CodePointRanges(List<Range> ranges) {
    private static final int FIRST_SURROGATE = 0xD800;
    private static final int LAST_SURROGATE = 0xDFFF;

    /** Every character. */
    static final CodePointRanges ALL = of(0, Character.MAX_CODE_POINT);

    /** From one code point to another, both included. */
    record Range(int first, int last) {}

    static CodePointRanges of(int first, int last) {
        return union(List.of(new Range(first, last)));
    }

    /** The characters of a text. */
    static CodePointRanges anyOf(String text) {
        return union(text.codePoints().mapToObj(c -> new Range(c, c)).toList());
    }

    static CodePointRanges union(List<Range> unsorted) {
        List<Range> sorted = new ArrayList<>();
        for (Range range : unsorted) {
            if (range.first < FIRST_SURROGATE) {
                sorted.add(new Range(range.first, Math.min(range.last, FIRST_SURROGATE - 1)));
            }
            if (range.last > LAST_SURROGATE) {
                sorted.add(new Range(Math.max(range.first, LAST_SURROGATE + 1), range.last));
            }
        }
        sorted.sort(Comparator.comparingInt(Range::first));
        List<Range> merged = new ArrayList<>();
        for (Range range : sorted) {
            if (range.last < range.first) {
                continue;
            }
            Range before = merged.isEmpty() ? null : merged.getLast();
            if (before != null && range.first <= before.last + 1) {
                merged.set(merged.size() - 1, new Range(before.first, Math.max(before.last, range.last)));
            } else {
                merged.add(range);
            }
        }
        return new CodePointRanges(List.copyOf(merged));
    }

    CodePointRanges complement() {
        List<Range> gaps = new ArrayList<>();
        int next = 0;
        for (Range range : ranges) {
            if (range.first > next) {
                gaps.add(new Range(next, range.first - 1));
            }
            next = range.last + 1;
        }
        if (next <= Character.MAX_CODE_POINT) {
            gaps.add(new Range(next, Character.MAX_CODE_POINT));
        }
        return union(gaps);
    }

    CodePointRanges and(CodePointRanges other) {
        return complement().or(other.complement()).complement();
    }

    CodePointRanges or(CodePointRanges other) {
        List<Range> both = new ArrayList<>(ranges);
        both.addAll(other.ranges);
        return union(both);
    }

    boolean contains(int codePoint) {
        return ranges.stream().anyMatch(range -> range.first <= codePoint && codePoint <= range.last);
    }

    boolean isEmpty() {
        return ranges.isEmpty();
    }
}
