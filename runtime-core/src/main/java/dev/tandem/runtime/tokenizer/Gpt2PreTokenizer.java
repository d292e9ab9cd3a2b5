package dev.tandem.runtime.tokenizer;

/**
 * Cuts text as GPT-2 does.
 *
 * <p>Pattern: {@code 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+}, from the encoder
 * published with the model.
 */
final class Gpt2PreTokenizer implements PreTokenizer {
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

    private static int wordEnd(Scanner scanner, int start) {
        int contraction = scanner.contraction(start, false);
        if (contraction > start) {
            return contraction;
        }
        int body = scanner.at(start) == ' ' ? start + 1 : start;
        if (scanner.is(body, CodePoints::isLetter)) {
            return scanner.run(body, CodePoints::isLetter);
        }
        if (scanner.is(body, CodePoints::isNumber)) {
            return scanner.run(body, CodePoints::isNumber);
        }
        if (scanner.is(body, CodePoints::isSymbol)) {
            return scanner.run(body, CodePoints::isSymbol);
        }
        return scanner.spaces(start);
    }
}
