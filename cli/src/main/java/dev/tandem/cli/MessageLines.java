package dev.tandem.cli;

/**
 * Messages of several lines: a line that ends with a backslash goes on, and so does everything between two {@code """}.
 */
final class MessageLines {
    private static final String QUOTES = "\"\"\"";

    private MessageLines() {}

    /** Whether what was typed so far wants another line. */
    static boolean isOpen(String typed) {
        String text = typed.strip();
        if (text.startsWith(QUOTES)) {
            return text.length() < 2 * QUOTES.length() || !text.endsWith(QUOTES);
        }
        int backslashes = 0;
        while (backslashes < typed.length() && typed.charAt(typed.length() - 1 - backslashes) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }

    /** The message that was typed: without the quotes and the line break next to each, and without the backslashes. */
    static String message(String typed) {
        String text = typed.strip();
        if (!text.startsWith(QUOTES) || isOpen(typed)) {
            return typed.replace("\\\n", "\n");
        }
        String inner = text.substring(QUOTES.length(), text.length() - QUOTES.length());
        int from = inner.startsWith("\n") ? 1 : 0;
        int to = inner.endsWith("\n") && inner.length() > from ? inner.length() - 1 : inner.length();
        return inner.substring(from, to);
    }
}
