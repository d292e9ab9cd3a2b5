package dev.tandem.runtime.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;

/** Each scanner against its published pattern, run by {@code java.util.regex} on short texts. */
final class PreTokenizerTests {
    private static final String CL100K = "'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]"
            + "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,K}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

    static final List<Arguments> PATTERNS = List.of(
            Arguments.of(
                    new Gpt2PreTokenizer(),
                    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"),
            Arguments.of(new Cl100kPreTokenizer(1), CL100K.replace("K", "1")),
            Arguments.of(new Cl100kPreTokenizer(3), CL100K.replace("K", "3")));

    static final List<PreTokenizer> ALL =
            List.of(new Gpt2PreTokenizer(), new Cl100kPreTokenizer(1), new Cl100kPreTokenizer(3));

    @ParameterizedTest
    @FieldSource("PATTERNS")
    void cutsRandomTextAsThePublishedPatternDoes(PreTokenizer preTokenizer, String pattern) {
        // This flag makes \s the Unicode property White_Space and leaves \p{L} and \p{N} as they are.
        Pattern compiled = Pattern.compile(pattern, Pattern.UNICODE_CHARACTER_CLASS);
        for (long seed = 0; seed < 10_000; seed++) {
            String text = new RandomText(seed).next(12);
            List<String> expected = new ArrayList<>();
            Matcher matcher = compiled.matcher(text);
            while (matcher.find()) {
                expected.add(matcher.group());
            }
            assertEquals(expected, words(preTokenizer, text), "seed " + seed);
        }
    }

    @Test
    void agreesWithTheRegexEngineOnTheClassOfEveryCodePoint() {
        Pattern space = Pattern.compile("\\s", Pattern.UNICODE_CHARACTER_CLASS);
        Pattern letter = Pattern.compile("\\p{L}");
        Pattern number = Pattern.compile("\\p{N}");
        for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++) {
            String text = Character.toString(codePoint);
            String where = Integer.toHexString(codePoint);
            assertEquals(space.matcher(text).matches(), CodePoints.isSpace(codePoint), where);
            assertEquals(letter.matcher(text).matches(), CodePoints.isLetter(codePoint), where);
            assertEquals(number.matcher(text).matches(), CodePoints.isNumber(codePoint), where);
        }
    }

    @Test
    void leavesTheLastOfSeveralSpacesToTheNextWord() {
        for (PreTokenizer preTokenizer : ALL) {
            assertEquals(List.of("a", "  ", " b", "  "), words(preTokenizer, "a   b  "));
        }
    }

    @Test
    void cutsNumbersByTheFamilysLength() {
        assertEquals(List.of("12345"), words(new Gpt2PreTokenizer(), "12345"));
        assertEquals(List.of("1", "2", "3", "4", "5"), words(new Cl100kPreTokenizer(1), "12345"));
        assertEquals(List.of("123", "45"), words(new Cl100kPreTokenizer(3), "12345"));
    }

    @Test
    void looksAtNothingBehindTheRange() {
        for (PreTokenizer preTokenizer : ALL) {
            List<String> words = new ArrayList<>();
            String text = "xx  yy";
            preTokenizer.split(text, 1, 4, (from, to) -> words.add(text.substring(from, to)));
            assertEquals(List.of("x", "  "), words, "the spaces end the range, so they stay together");
        }
    }

    @Test
    void takesAMillionOfOneCharacter() {
        for (PreTokenizer preTokenizer : ALL) {
            for (String one : List.of("a", "1", " ", "\n", "'", "日", "🚀")) {
                String text = one.repeat(1_000_000);
                assertEquals(
                        text.length(),
                        words(preTokenizer, text).stream()
                                .mapToInt(String::length)
                                .sum());
            }
        }
    }

    private static List<String> words(PreTokenizer preTokenizer, String text) {
        List<String> words = new ArrayList<>();
        preTokenizer.split(text, 0, text.length(), (from, to) -> words.add(text.substring(from, to)));
        return words;
    }
}
