package dev.tandem.runtime.tokenizer;

/** The character classes of pre-tokenizer patterns, and well-formedness. */
final class CodePoints {
    private CodePoints() {}

    /** Whether {@code \p{L}} matches: Lu, Ll, Lt, Lm, Lo. */
    static boolean isLetter(int codePoint) {
        return Character.isLetter(codePoint);
    }

    /** Whether {@code \p{N}} matches: Nd, Nl, No. */
    static boolean isNumber(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.DECIMAL_DIGIT_NUMBER, Character.LETTER_NUMBER, Character.OTHER_NUMBER -> true;
            default -> false;
        };
    }

    /** Whether {@code \s} matches: the Unicode property White_Space, which {@link Character#isWhitespace} is not. */
    static boolean isSpace(int codePoint) {
        return (codePoint >= '\t' && codePoint <= '\r')
                || codePoint == 0x85
                || switch (Character.getType(codePoint)) {
                    case Character.SPACE_SEPARATOR, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
                    default -> false;
                };
    }

    /** Whether {@code [^\s\p{L}\p{N}]} matches: punctuation, symbols, marks, controls, unassigned. */
    static boolean isSymbol(int codePoint) {
        return !isSpace(codePoint) && !isLetter(codePoint) && !isNumber(codePoint);
    }

    static boolean isNewline(int codePoint) {
        return codePoint == '\n' || codePoint == '\r';
    }

    /** The text with each lone surrogate replaced by U+FFFD, since UTF-8 has no form for it. */
    static String wellFormed(String text) {
        StringBuilder repaired = null;
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            if (Character.getType(text.codePointAt(i)) == Character.SURROGATE) {
                repaired = repaired == null ? new StringBuilder(text) : repaired;
                repaired.setCharAt(i, '\uFFFD');
            }
        }
        return repaired == null ? text : repaired.toString();
    }
}
