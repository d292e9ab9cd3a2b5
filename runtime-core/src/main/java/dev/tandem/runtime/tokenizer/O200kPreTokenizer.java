package dev.tandem.runtime.tokenizer;

/**
 * Cuts text by the {@code o200k} family of patterns, which GPT-4o and Mistral's Tekken share: a word ends where lower
 * case turns into upper case.
 *
 * <p>Pattern, with U = {@code [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]}, L = {@code [\p{Ll}\p{Lm}\p{Lo}\p{M}]}, k = {@code maxDigits} and C =
 * {@code (?i:'s|'t|'re|'ve|'m|'ll|'d)?}, which Tekken lacks: {@code [^\r\n\p{L}\p{N}]?U*L+C|[^\r\n\p{L}\p{N}]?U+L*C|\p{N}{1,k}|
 * ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+}, from the tokenizers published with the models.
 *
 * @param maxDigits the longest number that is one word
 * @param contractions whether an English contraction belongs to the word before it
 */
record O200kPreTokenizer(int maxDigits, boolean contractions) implements PreTokenizer {
    @Override
    public void split(String text, int from, int to, Words words) {
        Scanner scanner = new Scanner(text, to);
        int start = from;
        while (start < to) {
            int end = wordEnd(scanner, start);
            words.accept(start, end);
            start = end;
        }
    }

    private int wordEnd(Scanner scanner, int start) {
        int letters = letters(scanner, start);
        if (letters > start) {
            return contractions ? scanner.contraction(letters, true) : letters;
        }
        if (scanner.is(start, CodePoints::isNumber)) {
            return scanner.run(start, CodePoints::isNumber, maxDigits);
        }
        int symbols = scanner.at(start) == ' ' ? scanner.after(start) : start;
        if (scanner.is(symbols, CodePoints::isSymbol)) {
            return scanner.run(scanner.run(symbols, CodePoints::isSymbol), O200kPreTokenizer::trailsSymbols);
        }
        return scanner.blank(start);
    }

    /** The first two alternatives, each with the character before the letters and, failing that, without. */
    private static int letters(Scanner scanner, int start) {
        int behind = scanner.is(start, O200kPreTokenizer::leadsLetters) ? scanner.after(start) : start;
        int end = endingInLower(scanner, behind);
        if (end > behind) {
            return end;
        }
        // A mark leads letters and is one.
        end = endingInLower(scanner, start);
        if (end > start) {
            return end;
        }
        // Nothing here is in L, or the above had matched.
        int upper = scanner.run(behind, CodePoints::isNotLower);
        return upper > behind ? upper : start;
    }

    /** The end of {@code U*L+} at an index; the index itself where it does not match. */
    private static int endingInLower(Scanner scanner, int index) {
        int upperEnd = index;
        // Behind the last character of the run that is in both classes: where U* gives back as much as L+ needs.
        int shared = index;
        while (scanner.is(upperEnd, CodePoints::isNotLower)) {
            int next = scanner.after(upperEnd);
            if (scanner.is(upperEnd, CodePoints::isNotUpper)) {
                shared = next;
            }
            upperEnd = next;
        }
        int end = scanner.run(upperEnd, CodePoints::isNotUpper);
        return end > upperEnd ? end : shared;
    }

    private static boolean leadsLetters(int codePoint) {
        return !CodePoints.isNewline(codePoint) && !CodePoints.isLetter(codePoint) && !CodePoints.isNumber(codePoint);
    }

    private static boolean trailsSymbols(int codePoint) {
        return CodePoints.isNewline(codePoint) || codePoint == '/';
    }
}
