package dev.tandem.runtime.tokenizer;

import java.util.function.IntPredicate;

/**
 * Cuts text by the {@code cl100k} family of patterns, which Llama 3, GLM 4 and Qwen share.
 *
 * <p>Pattern, with k = {@code maxDigits}: {@code (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,k}|
 * ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+}, from the tokenizers published with the models. Qwen 3.5 counts
 * marks among the letters: {@code [\p{L}\p{M}]+} and {@code [^\s\p{L}\p{M}\p{N}]+}.
 *
 * @param maxDigits the longest number that is one word
 * @param marksAreLetters whether combining marks belong to words
 */
record Cl100kPreTokenizer(int maxDigits, boolean marksAreLetters) implements PreTokenizer {
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
        IntPredicate letter = marksAreLetters ? CodePoints::isLetterOrMark : CodePoints::isLetter;
        if (scanner.is(start, letter)) {
            return scanner.run(start, letter);
        }
        if (scanner.is(start, CodePoints::isNumber)) {
            return scanner.run(start, CodePoints::isNumber, maxDigits);
        }
        // One character of any other kind, a newline apart, belongs to the letters behind it.
        int next = scanner.after(start);
        if (!scanner.is(start, CodePoints::isNewline) && scanner.is(next, letter)) {
            return scanner.run(next, letter);
        }
        int symbols = scanner.at(start) == ' ' ? next : start;
        if (scanner.is(symbols, this::isSymbol)) {
            return scanner.run(scanner.run(symbols, this::isSymbol), CodePoints::isNewline);
        }
        return scanner.blank(start);
    }

    private boolean isSymbol(int codePoint) {
        return CodePoints.isSymbol(codePoint) && !(marksAreLetters && CodePoints.isMark(codePoint));
    }
}
