package dev.tandem.runtime.tokenizer;

import java.util.function.IntPredicate;

/**
 * Finds runs of characters in a range of text, for pre-tokenizers.
 *
 * @param text well-formed UTF-16
 * @param end end of the range, exclusive
 */
record Scanner(String text, int end) {
    /** Returned by {@link #at} past the end; in no character class. */
    static final int NONE = -1;

    /** The code point at an index, or NONE at the end. */
    int at(int index) {
        return index < end ? text.codePointAt(index) : NONE;
    }

    /** The index behind the code point at an index. */
    int after(int index) {
        return index + Character.charCount(text.codePointAt(index));
    }

    /** Whether the code point at an index exists and is of a class. */
    boolean is(int index, IntPredicate kind) {
        return index < end && kind.test(text.codePointAt(index));
    }

    /** The end of the run of a class that begins at an index; the index itself where the run is empty. */
    int run(int index, IntPredicate kind) {
        int i = index;
        while (is(i, kind)) {
            i = after(i);
        }
        return i;
    }

    /** The end of a run as above that is cut after so many code points. */
    int run(int index, IntPredicate kind, int most) {
        int i = index;
        for (int length = 0; length < most && is(i, kind); length++) {
            i = after(i);
        }
        return i;
    }

    /**
     * The end of {@code \s*[\r\n]+|\s+(?!\S)|\s+} at an index where a space stands.
     *
     * <p>A run of spaces ends behind its last newline where it has one, else as {@link #spaces} says.
     */
    int blank(int index) {
        for (int i = run(index, CodePoints::isSpace); i > index; i--) {
            if (CodePoints.isNewline(at(i - 1))) {
                return i;
            }
        }
        return spaces(index);
    }

    /**
     * The end of {@code \s+(?!\S)|\s+} at an index where a space stands.
     *
     * <p>A run of spaces leaves its last one to the word behind it, unless that is all there is. Every space is one
     * char.
     */
    int spaces(int index) {
        int runEnd = run(index, CodePoints::isSpace);
        return runEnd == end || runEnd == index + 1 ? runEnd : runEnd - 1;
    }

    /**
     * The end of an English contraction, {@code 's|'t|'re|'ve|'m|'ll|'d}, at an index.
     *
     * @return the index itself where there is none
     */
    int contraction(int index, boolean anyCase) {
        if (at(index) != '\'') {
            return index;
        }
        return switch (letter(index + 1, anyCase)) {
            case 's', 't', 'm', 'd' -> index + 2;
            case 'r', 'v' -> letter(index + 2, anyCase) == 'e' ? index + 3 : index;
            case 'l' -> letter(index + 2, anyCase) == 'l' ? index + 3 : index;
            default -> index;
        };
    }

    /** The code point at an index, in lower case; U+017F is a form of s, as Unicode's case folding has it. */
    private int letter(int index, boolean anyCase) {
        int codePoint = at(index);
        if (!anyCase) {
            return codePoint;
        }
        return codePoint == '\u017F' ? 's' : codePoint >= 'A' && codePoint <= 'Z' ? codePoint + ('a' - 'A') : codePoint;
    }
}
