package dev.tandem.runtime.tokenizer;

/**
 * Cuts text into words before byte-pair merging, which never crosses a cut.
 *
 * <p>Implementations scan by hand rather than with {@link java.util.regex}, whose matcher recurses once per repetition
 * of a group and so overflows the stack on long runs of one character. Stateless and thread-safe.
 */
@FunctionalInterface
interface PreTokenizer {
    /**
     * Cuts a range of text; the words adjoin and cover it, and none is empty.
     *
     * @param text well-formed UTF-16
     * @param from first char
     * @param to end of the range, exclusive; nothing behind it is looked at
     * @param words receives the words in order
     */
    void split(String text, int from, int to, Words words);

    /** A pre-tokenizer in stages: what this one cuts, the next one cuts further. */
    default PreTokenizer then(PreTokenizer next) {
        return (text, from, to, words) -> split(text, from, to, (start, end) -> next.split(text, start, end, words));
    }

    /** Receives words. */
    @FunctionalInterface
    interface Words {
        /**
         * Takes the next word.
         *
         * @param from its first char
         * @param to its end, exclusive
         */
        void accept(int from, int to);
    }
}
