package dev.tandem.runtime.tokenizer;

import java.util.function.IntPredicate;

/**
 * The patterns of the three DeepSeek pre-tokenizers, each a chain of stages, as their tokenizers were published.
 *
 * <ul>
 *   <li>{@code deepseek-llm}: {@code [\r\n]}, then {@code \s?[..]+} over a list of cased letters and the same over a list
 *       of punctuation, then {@code \s+$}, a run of the characters U+0800 to U+9FA5 and U+AC00 to U+D7FF, {@code \p{N}}
 *   <li>{@code deepseek-coder}: {@code [\r\n]}, then {@code \s?\p{L}+}, {@code \s?\p{P}+}, the same run, {@code \p{N}}
 *   <li>{@code deepseek-v3}: {@code \p{N}{1,3}}, then a run of the characters U+3040 to U+30FF and U+4E00 to U+9FA5, then
 *       {@code !a+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+} with {@code !} for
 *       every punctuation mark of ASCII and {@code a} for every letter of ASCII
 * </ul>
 */
final class DeepSeekPatterns {
    private static final CodePointSet CASED_LETTERS =
            new CodePointSet("41-5A 61-7A B5 C0-D6 D8-F6 F8-1BA 1BC-1BF 1C4-293 295-2AF 370-373 376-377 37B-37D 37F "
                    + "386 388-38A 38C 38E-3A1 3A3-3F5 3F7-481 48A-52F 531-556 10A0-10C5 13A0-13F5 13F8-13FD "
                    + "1C90-1CBA 1CBD-1CBF 1D00-1D2B 1D6B-1D77 1D79-1D9A 1E00-1F15 1F18-1F1D 1F20-1F45 "
                    + "1F48-1F4D 1F50-1F57 1F59 1F5B 1F5D 1F5F-1F7D 1F80-1FB4 1FB6-1FBC 1FBE 1FC2-1FC4 "
                    + "1FC6-1FCC 1FD0-1FD3 1FD6-1FDB 1FE0-1FEC 1FF2-1FF4 1FF6-1FFC 2102 2107 210A-2113 2115 "
                    + "2119-211D 2124 2126 2128 212A-212D 212F-2134 2139 213C-213F 2145-2149 214E 2183-2184 "
                    + "2C00-2C7B 2C7E-2CE4 2CEB-2CEE 2CF2-2CF3 A640-A66D A680-A69B A722-A76F A771-A787 "
                    + "A78B-A78E AB70-ABBF FB00-FB06 FB13-FB17 FF21-FF3A FF41-FF5A 10400-1044F 104B0-104D3 "
                    + "104D8-104FB 10C80-10CB2 10CC0-10CF2 118A0-118DF 1E900-1E943");

    private static final CodePointSet LISTED_PUNCTUATION =
            new CodePointSet("21-2F 3A-7E 2018-201F 3000-3002 FF01-FF0F FF1A-FF5E");

    private static final PreTokenizer NEWLINES = isolating((scanner, at) -> scanner.run(at, CodePoints::isNewline, 1));

    private static final PreTokenizer EAST_ASIAN = isolating((scanner, at) -> scanner.run(at, c -> isEastAsian(c)));

    private static final PreTokenizer DIGITS = isolating((scanner, at) -> scanner.run(at, CodePoints::isNumber, 1));

    static final PreTokenizer LLM = NEWLINES.then(spaced(CASED_LETTERS::contains))
            .then(spaced(LISTED_PUNCTUATION::contains))
            .then(DeepSeekPatterns::cutTrailingSpaces)
            .then(EAST_ASIAN)
            .then(DIGITS);

    static final PreTokenizer CODER = NEWLINES.then(spaced(CodePoints::isLetter))
            .then(spaced(CodePoints::isPunctuation))
            .then(EAST_ASIAN)
            .then(DIGITS);

    static final PreTokenizer V3 = isolating((scanner, at) -> scanner.run(at, CodePoints::isNumber, 3))
            .then(isolating((scanner, at) -> scanner.run(at, DeepSeekPatterns::isKanaOrHan)))
            .then(isolating(DeepSeekPatterns::v3Word));

    private DeepSeekPatterns() {}

    private static PreTokenizer isolating(IsolatingPreTokenizer.Pattern pattern) {
        return new IsolatingPreTokenizer(pattern);
    }

    /** {@code \s?[..]+} */
    private static PreTokenizer spaced(IntPredicate kind) {
        return isolating((scanner, at) -> {
            int end = scanner.run(at, kind);
            if (end > at || !scanner.is(at, CodePoints::isSpace)) {
                return end;
            }
            int body = scanner.after(at);
            end = scanner.run(body, kind);
            return end > body ? end : at;
        });
    }

    /** {@code \s+$}, from behind: tried from the front it would cost the square of a run of spaces that ends early. */
    private static void cutTrailingSpaces(String text, int from, int to, PreTokenizer.Words words) {
        int end = to;
        // Every space is one char.
        while (end > from && CodePoints.isSpace(text.charAt(end - 1))) {
            end--;
        }
        if (end > from) {
            words.accept(from, end);
        }
        if (to > end) {
            words.accept(end, to);
        }
    }

    private static int v3Word(Scanner scanner, int at) {
        int next = scanner.after(at);
        if (scanner.is(at, DeepSeekPatterns::isAsciiPunctuation) && scanner.is(next, DeepSeekPatterns::isAsciiLetter)) {
            return scanner.run(next, DeepSeekPatterns::isAsciiLetter);
        }
        if (scanner.is(at, CodePoints::isLetterOrMark)) {
            return scanner.run(at, CodePoints::isLetterOrMark);
        }
        boolean leads = !scanner.is(at, CodePoints::isNewline) && !scanner.is(at, CodePoints::isPunctuationOrSign);
        if (leads && scanner.is(next, CodePoints::isLetterOrMark)) {
            return scanner.run(next, CodePoints::isLetterOrMark);
        }
        int signs = scanner.at(at) == ' ' ? next : at;
        if (scanner.is(signs, CodePoints::isPunctuationOrSign)) {
            return scanner.run(scanner.run(signs, CodePoints::isPunctuationOrSign), CodePoints::isNewline);
        }
        return scanner.is(at, CodePoints::isSpace) ? scanner.blank(at) : at;
    }

    private static boolean isAsciiPunctuation(int codePoint) {
        return codePoint > ' ' && codePoint < 0x7F && !isAsciiLetter(codePoint) && !CodePoints.isNumber(codePoint);
    }

    private static boolean isAsciiLetter(int codePoint) {
        return (codePoint >= 'A' && codePoint <= 'Z') || (codePoint >= 'a' && codePoint <= 'z');
    }

    private static boolean isEastAsian(int codePoint) {
        return (codePoint >= 0x0800 && codePoint <= 0x9FA5) || (codePoint >= 0xAC00 && codePoint <= 0xD7FF);
    }

    private static boolean isKanaOrHan(int codePoint) {
        return (codePoint >= 0x3040 && codePoint <= 0x30FF) || (codePoint >= 0x4E00 && codePoint <= 0x9FA5);
    }
}
