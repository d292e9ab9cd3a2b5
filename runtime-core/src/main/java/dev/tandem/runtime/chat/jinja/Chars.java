package dev.tandem.runtime.chat.jinja;

/** Classes of characters as Python has them. */
final class Chars {
    private Chars() {}

    static boolean isSpace(int c) {
        return c <= ' '
                ? c == ' ' || c >= '\t' && c <= '\r' || c >= 0x1c && c <= 0x1f
                : c == 0x85 || c == 0xa0 || c > 0xff && Character.isSpaceChar(c);
    }

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    static boolean isWord(int c) {
        return c == '_' || Character.isLetterOrDigit(c) || Character.getType(c) == Character.LETTER_NUMBER;
    }

    /** Whether Python's {@code splitlines} breaks a line here. */
    static boolean isLineBreak(int c) {
        return c >= '\n' && c <= '\r' || c >= 0x1c && c <= 0x1e || c == 0x85 || c == 0x2028 || c == 0x2029;
    }

    /** Whether {@code repr} writes the character as it is. */
    static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> true;
        };
    }
}
