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

    /** Whether {@code \p{M}} matches: Mn, Mc, Me. */
    static boolean isMark(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.NON_SPACING_MARK, Character.COMBINING_SPACING_MARK, Character.ENCLOSING_MARK -> true;
            default -> false;
        };
    }

    /** Whether {@code [\p{L}\p{M}]} matches. */
    static boolean isLetterOrMark(int codePoint) {
        return isLetter(codePoint) || isMark(codePoint);
    }

    /** Whether {@code \p{P}} matches: Pc, Pd, Ps, Pe, Pi, Pf, Po. */
    static boolean isPunctuation(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONNECTOR_PUNCTUATION,
                    Character.DASH_PUNCTUATION,
                    Character.START_PUNCTUATION,
                    Character.END_PUNCTUATION,
                    Character.INITIAL_QUOTE_PUNCTUATION,
                    Character.FINAL_QUOTE_PUNCTUATION,
                    Character.OTHER_PUNCTUATION -> true;
            default -> false;
        };
    }

    /** Whether {@code [\p{P}\p{S}]} matches; S is Sm, Sc, Sk, So. */
    static boolean isPunctuationOrSign(int codePoint) {
        return isPunctuation(codePoint)
                || switch (Character.getType(codePoint)) {
                    case Character.MATH_SYMBOL,
                            Character.CURRENCY_SYMBOL,
                            Character.MODIFIER_SYMBOL,
                            Character.OTHER_SYMBOL -> true;
                    default -> false;
                };
    }

    /** Whether {@code [\p{Lu}\p{Lt}]} matches. */
    static boolean isUpper(int codePoint) {
        int type = Character.getType(codePoint);
        return type == Character.UPPERCASE_LETTER || type == Character.TITLECASE_LETTER;
    }

    /** Whether {@code [\p{Ll}\p{Lm}\p{Lo}\p{M}]} matches. */
    static boolean isNotUpper(int codePoint) {
        return isLetterOrMark(codePoint) && !isUpper(codePoint);
    }

    /** Whether {@code [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]} matches. */
    static boolean isNotLower(int codePoint) {
        return isLetterOrMark(codePoint) && Character.getType(codePoint) != Character.LOWERCASE_LETTER;
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

    /** How many bytes a range of well-formed text takes in UTF-8. */
    static int utf8Length(String text, int from, int to) {
        int bytes = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            // Either half of a surrogate pair takes two of the pair's four bytes.
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }
}
