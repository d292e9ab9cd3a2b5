package dev.tandem.runtime.chat.jinja;

import java.math.BigInteger;

/** Reads the literals of the language: numbers and strings. */
final class Literals {
    private static final int MOST_DIGITS = 1000;

    private Literals() {}

    /** A literal's value and the place behind it. */
    record Read(Object value, int end) {}

    /**
     * Reads a number.
     *
     * @param source the template
     * @param start a digit
     * @param wholeOnly whether a dot ends it, as in {@code x.0.1}
     */
    static Read number(String source, int start, boolean wholeOnly) {
        int radix = radix(source, start);
        if (radix != 10) {
            int end = digits(source, start + 2, radix);
            return new Read(integer(source, start, start + 2, end, radix), end);
        }
        int end = digits(source, start, 10);
        boolean real = false;
        if (!wholeOnly && digitAt(source, end + 1) && source.charAt(end) == '.') {
            end = digits(source, end + 1, 10);
            real = true;
        }
        if (!wholeOnly && end < source.length() && (source.charAt(end) | 0x20) == 'e') {
            int exponent = end + 1;
            if (exponent < source.length() && "+-".indexOf(source.charAt(exponent)) >= 0) {
                exponent++;
            }
            if (digitAt(source, exponent)) {
                end = digits(source, exponent, 10);
                real = true;
            }
        }
        if (real) {
            return new Read(Double.valueOf(source.substring(start, end).replace("_", "")), end);
        }
        return new Read(integer(source, start, start, end, 10), end);
    }

    private static boolean digitAt(String source, int index) {
        return index < source.length() && Chars.isDigit(source.charAt(index));
    }

    private static int radix(String source, int start) {
        if (source.charAt(start) != '0' || start + 2 >= source.length()) {
            return 10;
        }
        int radix = switch (source.charAt(start + 1)) {
            case 'x', 'X' -> 16;
            case 'o', 'O' -> 8;
            case 'b', 'B' -> 2;
            default -> 10;
        };
        return Character.digit(source.charAt(start + 2), radix) < 0 ? 10 : radix;
    }

    private static int digits(String source, int from, int radix) {
        int i = from;
        while (i < source.length()) {
            char c = source.charAt(i);
            boolean underscore = c == '_'
                    && i > from
                    && i + 1 < source.length()
                    && source.charAt(i + 1) < 128
                    && Character.digit(source.charAt(i + 1), radix) >= 0;
            if (!underscore && (c >= 128 || Character.digit(c, radix) < 0)) {
                break;
            }
            i++;
        }
        return i;
    }

    private static Object integer(String source, int start, int from, int end, int radix) {
        String digits = source.substring(from, end).replace("_", "");
        Span span = new Span(start, end);
        if (digits.length() > MOST_DIGITS) {
            throw TemplateError.syntax(span, "a number has more than " + MOST_DIGITS + " digits");
        }
        if (radix == 10 && digits.startsWith("0") && !digits.chars().allMatch(c -> c == '0')) {
            throw TemplateError.syntax(span, "a number must not begin with 0");
        }
        return Numbers.integer(new BigInteger(digits, radix));
    }

    /** Reads a string from its opening quote on. */
    static Read string(String source, int start) {
        char quote = source.charAt(start);
        StringBuilder text = new StringBuilder();
        int i = start + 1;
        while (i < source.length()) {
            char c = source.charAt(i);
            if (c == quote) {
                return new Read(text.toString(), i + 1);
            }
            if (c == '\\' && i + 1 < source.length()) {
                i = escape(source, i, text);
            } else {
                text.append(c);
                i++;
            }
        }
        throw TemplateError.syntax(new Span(start, start + 1), "the string is never closed with " + quote);
    }

    /** Appends what a backslash stands for, and answers with the place behind it. */
    private static int escape(String source, int backslash, StringBuilder text) {
        char c = source.charAt(backslash + 1);
        int next = backslash + 2;
        switch (c) {
            case '\n' -> {}
            case '\\', '\'', '"' -> text.append(c);
            case 'a' -> text.append('\u0007');
            case 'b' -> text.append('\b');
            case 'f' -> text.append('\f');
            case 'n' -> text.append('\n');
            case 'r' -> text.append('\r');
            case 't' -> text.append('\t');
            case 'v' -> text.append('\u000b');
            case 'x' -> next = hex(source, backslash, 2, text);
            case 'u' -> next = hex(source, backslash, 4, text);
            case 'U' -> next = hex(source, backslash, 8, text);
            case '0', '1', '2', '3', '4', '5', '6', '7' -> next = octal(source, backslash + 1, text);
            default -> text.append('\\').append(c);
        }
        return next;
    }

    private static int hex(String source, int backslash, int count, StringBuilder text) {
        int from = backslash + 2;
        int code = 0;
        for (int i = from; i < from + count; i++) {
            int digit = i < source.length() ? Character.digit(source.charAt(i), 16) : -1;
            code = digit < 0 || code > 0x10ffff ? -1 : code * 16 + digit;
            if (code < 0) {
                break;
            }
        }
        if (code < 0 || !Character.isValidCodePoint(code)) {
            throw TemplateError.syntax(
                    new Span(backslash, Math.min(source.length(), from + count)),
                    "the escape in a string is not valid");
        }
        text.appendCodePoint(code);
        return from + count;
    }

    private static int octal(String source, int from, StringBuilder text) {
        int code = 0;
        int i = from;
        while (i < from + 3 && i < source.length() && source.charAt(i) >= '0' && source.charAt(i) <= '7') {
            code = code * 8 + source.charAt(i++) - '0';
        }
        text.append((char) code);
        return i;
    }
}
