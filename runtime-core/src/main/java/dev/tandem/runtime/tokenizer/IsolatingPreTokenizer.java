package dev.tandem.runtime.tokenizer;

/**
 * Cuts out every match of a pattern: matches are words, and so is what lies between them.
 *
 * @param pattern to look for at each place, from left to right
 */
record IsolatingPreTokenizer(Pattern pattern) implements PreTokenizer {
    /** A pattern that can be tried at one place. */
    @FunctionalInterface
    interface Pattern {
        /**
         * Tries the pattern, in time that does not grow with the range where it fails.
         *
         * @param scanner over the range
         * @param start where the match must begin
         * @return the end of the match; {@code start} where there is none
         */
        int matchEnd(Scanner scanner, int start);
    }

    @Override
    public void split(String text, int from, int to, Words words) {
        Scanner scanner = new Scanner(text, to);
        int unmatched = from;
        int at = from;
        while (at < to) {
            int end = pattern.matchEnd(scanner, at);
            if (end == at) {
                at = scanner.after(at);
                continue;
            }
            if (unmatched < at) {
                words.accept(unmatched, at);
            }
            words.accept(at, end);
            unmatched = end;
            at = end;
        }
        if (unmatched < to) {
            words.accept(unmatched, to);
        }
    }
}
