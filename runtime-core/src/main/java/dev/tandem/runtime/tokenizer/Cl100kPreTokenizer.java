package dev.tandem.runtime.tokenizer;

/**
 * Cuts text by the {@code cl100k} family of patterns, which Llama 3 and Qwen 2 share but for the length of numbers.
 *
 * <p>Pattern, with k = {@code maxDigits}: {@code (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,k}|
 * ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+}, from the tokenizers published with the models.
 *
 * @param maxDigits the longest number that is one word
 */
record Cl100kPreTokenizer(int maxDigits) implements PreTokenizer {
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
        int contraction = scanner.contraction(start, true);
        if (contraction > start) {
            return contraction;
        }
        if (scanner.is(start, CodePoints::isLetter)) {
            return scanner.run(start, CodePoints::isLetter);
        }
        if (scanner.is(start, CodePoints::isNumber)) {
            return number(scanner, start);
        }
        // One character of any other kind, a newline apart, belongs to the letters behind it.
        int next = scanner.after(start);
        if (!scanner.is(start, CodePoints::isNewline) && scanner.is(next, CodePoints::isLetter)) {
            return scanner.run(next, CodePoints::isLetter);
        }
        int symbols = scanner.at(start) == ' ' ? next : start;
        if (scanner.is(symbols, CodePoints::isSymbol)) {
            return scanner.run(scanner.run(symbols, CodePoints::isSymbol), CodePoints::isNewline);
        }
        return blank(scanner, start);
    }

    private int number(Scanner scanner, int start) {
        int end = start;
        for (int digits = 0; digits < maxDigits && scanner.is(end, CodePoints::isNumber); digits++) {
            end = scanner.after(end);
        }
        return end;
    }

    /** White space: through its last newline where it has one, else as in {@link Scanner#spaces}. */
    private static int blank(Scanner scanner, int start) {
        int runEnd = scanner.run(start, CodePoints::isSpace);
        for (int i = runEnd; i > start; i--) {
            if (CodePoints.isNewline(scanner.at(i - 1))) {
                return i;
            }
        }
        return scanner.spaces(start);
    }
}
