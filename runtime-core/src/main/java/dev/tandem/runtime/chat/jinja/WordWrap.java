package dev.tandem.runtime.chat.jinja;

import java.util.ArrayList;
import java.util.List;

/**
 * Breaks one line into lines of a width, between words, as Python's {@code textwrap} does.
 *
 * @param width in characters
 * @param breakLongWords whether a word longer than a line is broken
 * @param breakOnHyphens whether a word may be broken behind a hyphen between letters
 */
record WordWrap(int width, boolean breakLongWords, boolean breakOnHyphens) {
    List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String chunk : chunks(text)) {
            boolean blank = chunk.isBlank();
            boolean fits = line.length() + chunk.length() <= width;
            if (!fits && !(breakLongWords && !blank && chunk.length() > width)) {
                flush(line, lines);
            }
            if (!blank) {
                appendWord(chunk, line, lines);
            } else if (fits && !(line.isEmpty() && !lines.isEmpty())) {
                line.append(chunk);
            }
        }
        flush(line, lines);
        return lines;
    }

    /** Appends a word, in several lines where it is broken. */
    private void appendWord(String word, StringBuilder line, List<String> lines) {
        int from = 0;
        while (breakLongWords && line.length() + word.length() - from > width) {
            int to = from + width - line.length();
            line.append(word, from, to);
            flush(line, lines);
            from = to;
        }
        line.append(word, from, word.length());
    }

    private static void flush(StringBuilder line, List<String> lines) {
        int end = line.length();
        while (end > 0 && Chars.isSpace(line.charAt(end - 1))) {
            end--;
        }
        if (end > 0) {
            lines.add(line.substring(0, end));
        }
        line.setLength(0);
    }

    /** Words and the whitespace between them, in turn. */
    private List<String> chunks(String text) {
        List<String> chunks = new ArrayList<>();
        int from = 0;
        for (int i = 1; i <= text.length(); i++) {
            boolean edge = i == text.length()
                    || Chars.isSpace(text.charAt(i)) != Chars.isSpace(text.charAt(i - 1))
                    || breakOnHyphens && afterHyphen(text, i);
            if (edge) {
                chunks.add(text.substring(from, i));
                from = i;
            }
        }
        return chunks;
    }

    private static boolean afterHyphen(String text, int i) {
        return text.charAt(i - 1) == '-'
                && i >= 3
                && Character.isLetter(text.charAt(i - 2))
                && Character.isLetter(text.charAt(i - 3))
                && i + 1 < text.length()
                && Character.isLetter(text.charAt(i))
                && Character.isLetter(text.charAt(i + 1));
    }
}
