package dev.tandem.runtime.grammar;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;

/** A place in the text of a grammar, and the words that stand there. */
final class GbnfScanner {
    private static final int BYTE_DIGITS = 2;
    private static final int SHORT_DIGITS = 4;
    private static final int LONG_DIGITS = 8;
    private static final int MOST_DIGITS_OF_A_COUNT = 7;

    private final String text;
    private final String source;
    private int at;
    private int line = 1;

    GbnfScanner(String text, String source) {
        this.text = text;
        this.source = source;
    }

    boolean atEnd() {
        return at == text.length();
    }

    /** The next character; a line break at the end of the text. */
    char peek() {
        return atEnd() ? '\n' : text.charAt(at);
    }

    String where() {
        return source + ", line " + line;
    }

    /** Skips blanks and comments. */
    void skipBlanks(boolean linesToo) {
        while (!atEnd()) {
            char c = peek();
            if (c == '#') {
                while (!atEnd() && peek() != '\n') {
                    at++;
                }
            } else if (c == ' ' || c == '\t' || c == '\r') {
                at++;
            } else if (c == '\n' && linesToo) {
                take();
            } else {
                return;
            }
        }
    }

    /** Skips line breaks where the first thing behind them is this character; else stays. */
    void joinLinesBefore(char wanted) {
        int atBefore = at;
        int lineBefore = line;
        skipBlanks(true);
        if (atEnd() || peek() != wanted) {
            at = atBefore;
            line = lineBefore;
        }
    }

    boolean skip(String word) {
        boolean here = text.startsWith(word, at);
        for (int i = 0; here && i < word.length(); i++) {
            take();
        }
        return here;
    }

    void require(String word, String purpose) {
        if (!skip(word)) {
            throw refusal("'" + word + "' is missing " + purpose);
        }
    }

    /** A name; empty where none stands here. */
    String name() {
        int from = at;
        while (!atEnd() && isNamePart(peek())) {
            at++;
        }
        return text.substring(from, at);
    }

    private static boolean isNamePart(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_';
    }

    boolean atDigit() {
        return peek() >= '0' && peek() <= '9';
    }

    /** A whole number of a repetition. */
    int count() {
        int from = at;
        while (atDigit()) {
            at++;
        }
        if (at == from || at - from > MOST_DIGITS_OF_A_COUNT) {
            throw refusal("a repetition needs a number of 1 to " + MOST_DIGITS_OF_A_COUNT + " digits");
        }
        return Integer.parseInt(text.substring(from, at));
    }

    private int take() {
        if (atEnd()) {
            throw refusal("the text ends in the middle of a rule");
        }
        int codePoint = text.codePointAt(at);
        at += Character.charCount(codePoint);
        if (codePoint == '\n') {
            line++;
        }
        return codePoint;
    }

    /** A character of a literal or a class, perhaps escaped. */
    int character(char delimiter) {
        if (peek() == '\n') {
            throw refusal("'" + delimiter + "' is missing at the end of the line");
        }
        int c = take();
        if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
            throw refusal("a lone surrogate is no character");
        }
        return c == '\\' ? escaped() : c;
    }

    private int escaped() {
        int c = take();
        return switch (c) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'x' -> hexadecimal(BYTE_DIGITS);
            case 'u' -> hexadecimal(SHORT_DIGITS);
            case 'U' -> hexadecimal(LONG_DIGITS);
            case '\\', '"', '[', ']', '-', '^' -> c;
            default -> throw refusal("unknown escape '\\" + Character.toString(c) + "'");
        };
    }

    private int hexadecimal(int digits) {
        long value = 0;
        for (int i = 0; i < digits; i++) {
            int digit = Character.digit(peek(), 16);
            if (digit < 0 || atEnd()) {
                throw refusal("an escape needs " + digits + " hexadecimal digits");
            }
            at++;
            value = 16 * value + digit;
        }
        if (value > Character.MAX_CODE_POINT || value >= Character.MIN_SURROGATE && value <= Character.MAX_SURROGATE) {
            throw refusal("U+" + Long.toHexString(value) + " is no character");
        }
        return (int) value;
    }

    /** What stands here, for messages. */
    String here() {
        return atEnd() ? "the end" : peek() == '\n' ? "the end of the line" : "'" + text.charAt(at) + "'";
    }

    UsageException refusal(String problem) {
        return new UsageException(ErrorCode.BAD_ARGUMENT, where() + ": " + problem, "Correct the grammar.");
    }
}
