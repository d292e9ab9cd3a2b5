package dev.tandem.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Words and numbers as people read them. */
final class Text {
    private static final String[] BYTE_UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};
    private static final String[] COUNT_UNITS = {"", " thousand", " million", " billion", " trillion"};

    private Text() {}

    /** A size such as {@code 19.2 MiB}. */
    static String bytes(long bytes) {
        int unit = 0;
        double value = bytes;
        while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", value, BYTE_UNITS[unit]);
    }

    /** A number such as {@code 31.5 million}. */
    static String count(long number) {
        int unit = 0;
        double value = number;
        while (value >= 1000 && unit < COUNT_UNITS.length - 1) {
            value /= 1000;
            unit++;
        }
        return unit == 0 ? Long.toString(number) : String.format(Locale.ROOT, "%.1f%s", value, COUNT_UNITS[unit]);
    }

    /** A number and its noun: {@code 1 token}, {@code 2 tokens}. */
    static String plural(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    /** A duration such as {@code 0.12 s}. */
    static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.2f s", nanos / 1e9);
    }

    /** A speed such as {@code 320/s}; below ten with one decimal. */
    static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 10 ? "%.1f/s" : "%.0f/s", perSecond);
    }

    /** The text on one line, with control characters made visible: a file must not be able to steer a terminal. */
    static String oneLine(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            switch (c) {
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                default -> appendVisible(line, c);
            }
        });
        return line.toString();
    }

    /** The text with all control characters but line breaks and tabs made visible. */
    static String printable(String text) {
        StringBuilder result = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (c == '\n' || c == '\t' || c == '\r') {
                result.appendCodePoint(c);
            } else {
                appendVisible(result, c);
            }
        });
        return result.toString();
    }

    private static void appendVisible(StringBuilder text, int c) {
        if (Character.isISOControl(c)) {
            text.append(String.format(Locale.ROOT, "\\u%04x", c));
        } else {
            text.appendCodePoint(c);
        }
    }

    /** The text, or its beginning and an ellipsis where it has more characters than given. */
    static String abbreviate(String text, int most) {
        int length = text.codePointCount(0, text.length());
        return length <= most ? text : text.substring(0, text.offsetByCodePoints(0, Math.max(0, most - 1))) + "…";
    }

    /** The text's beginning and end around an ellipsis where it has more characters than given; fit for paths. */
    static String abbreviateMiddle(String text, int most) {
        int length = text.codePointCount(0, text.length());
        if (length <= most) {
            return text;
        }
        int kept = Math.max(0, most - 1);
        int end = text.offsetByCodePoints(0, kept / 2);
        int start = text.offsetByCodePoints(text.length(), -(kept - kept / 2));
        return text.substring(0, end) + "…" + text.substring(start);
    }

    /** Breaks a text at spaces; a word longer than a line keeps a line to itself. */
    static List<String> wrap(String text, int columns) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (!line.isEmpty() && (long) line.length() + 1 + word.length() > columns) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    /** Wraps a text so that every line, the first one included, begins with an indentation. */
    static String indented(String text, int indent, int columns) {
        String margin = " ".repeat(indent);
        StringBuilder block = new StringBuilder();
        for (String line : wrap(text, Math.max(20, columns - indent))) {
            block.append(margin).append(line).append('\n');
        }
        return block.toString();
    }
}
