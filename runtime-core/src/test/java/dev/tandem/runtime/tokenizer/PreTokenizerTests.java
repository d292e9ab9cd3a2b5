package dev.tandem.runtime.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Each scanner against its published pattern, run by {@code java.util.regex} on short texts. */
final class PreTokenizerTests {
    static final List<PreTokenization> TABLE = PreTokenization.TABLE;

    @Test
    void everyPreTokenizerHasAPublishedPattern() {
        assertEquals(
                PublishedPatterns.BY_NAME.keySet(),
                TABLE.stream().map(PreTokenization::name).collect(Collectors.toSet()));
    }

    @ParameterizedTest
    @FieldSource("TABLE")
    void cutsRandomTextAsThePublishedPatternDoes(PreTokenization row) {
        // This flag makes \s the Unicode property White_Space and leaves \p{L} and \p{N} as they are.
        List<Pattern> stages = PublishedPatterns.of(row.name()).stream()
                .map(stage -> Pattern.compile(stage, Pattern.UNICODE_CHARACTER_CLASS))
                .toList();
        for (long seed = 0; seed < 4_000; seed++) {
            String text = new RandomText(seed).next(12);
            List<String> expected = text.isEmpty() ? List.of() : List.of(text);
            for (Pattern stage : stages) {
                expected = expected.stream()
                        .flatMap(part -> isolated(stage, part).stream())
                        .toList();
            }
            assertEquals(expected, words(row.preTokenizer(), text), "seed " + seed);
        }
    }

    /** The matches of a pattern and what lies between them. */
    private static List<String> isolated(Pattern pattern, String text) {
        List<String> parts = new ArrayList<>();
        Matcher matcher = pattern.matcher(text);
        int at = 0;
        while (matcher.find()) {
            if (matcher.start() > at) {
                parts.add(text.substring(at, matcher.start()));
            }
            parts.add(matcher.group());
            at = matcher.end();
        }
        if (at < text.length()) {
            parts.add(text.substring(at));
        }
        return parts;
    }

    @Test
    void agreesWithTheRegexEngineOnTheClassOfEveryCodePoint() {
        Pattern space = Pattern.compile("\\s", Pattern.UNICODE_CHARACTER_CLASS);
        Pattern letter = Pattern.compile("\\p{L}");
        Pattern number = Pattern.compile("\\p{N}");
        Pattern mark = Pattern.compile("\\p{M}");
        Pattern punctuation = Pattern.compile("\\p{P}");
        Pattern punctuationOrSign = Pattern.compile("[\\p{P}\\p{S}]");
        Pattern notUpper = Pattern.compile("[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]");
        Pattern notLower = Pattern.compile("[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]");
        for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++) {
            String text = Character.toString(codePoint);
            String where = Integer.toHexString(codePoint);
            assertEquals(space.matcher(text).matches(), CodePoints.isSpace(codePoint), where);
            assertEquals(letter.matcher(text).matches(), CodePoints.isLetter(codePoint), where);
            assertEquals(number.matcher(text).matches(), CodePoints.isNumber(codePoint), where);
            assertEquals(mark.matcher(text).matches(), CodePoints.isMark(codePoint), where);
            assertEquals(punctuation.matcher(text).matches(), CodePoints.isPunctuation(codePoint), where);
            assertEquals(punctuationOrSign.matcher(text).matches(), CodePoints.isPunctuationOrSign(codePoint), where);
            assertEquals(notUpper.matcher(text).matches(), CodePoints.isNotUpper(codePoint), where);
            assertEquals(notLower.matcher(text).matches(), CodePoints.isNotLower(codePoint), where);
        }
    }

    @Test
    void leavesTheLastOfSeveralSpacesToTheNextWord() {
        for (PreTokenization row : TABLE) {
            assertEquals(List.of("a", "  ", " b", "  "), words(row.preTokenizer(), "a   b  "), row.name());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "gpt-2,12345",
        "qwen2,1 2 3 4 5",
        "llama-bpe,123 45",
        "gpt-4o,123 45",
        "tekken,1 2 3 4 5",
        "smollm,1 2 3 4 5",
        "deepseek-v3,123 45",
        "default,123 45"
    })
    void cutsNumbersByTheFamilysLength(String name, String words) {
        assertEquals(List.of(words.split(" ")), words(named(name), "12345"));
    }

    @Test
    void keepsAnAccentWithItsLetterWhereTheFamilyDoes() {
        assertEquals(List.of("ne\u0301e"), words(named("qwen35"), "ne\u0301e"));
        assertEquals(List.of("ne", "\u0301e"), words(named("qwen2"), "ne\u0301e"));
    }

    @Test
    void takesTheLongSForAnS() {
        assertEquals(List.of("x", "'ſ", "V"), words(named("llama-bpe"), "x'ſV"));
        assertEquals(List.of("x'ſ", "V"), words(named("gpt-4o"), "x'ſV"));
        assertEquals(List.of("x", "'", "ſV"), words(named("gpt-2"), "x'ſV"), "it knows lower case only");
    }

    @Test
    void cutsWhereLowerCaseTurnsIntoUpperCase() {
        assertEquals(List.of("camel", "Case", "HTTPServer's"), words(named("gpt-4o"), "camelCaseHTTPServer's"));
        assertEquals(List.of("camel", "Case", "HTTPServer", "'s"), words(named("tekken"), "camelCaseHTTPServer's"));
    }

    @Test
    void looksAtNothingBehindTheRange() {
        for (PreTokenization row : TABLE) {
            List<String> words = new ArrayList<>();
            String text = "xx  yy";
            row.preTokenizer().split(text, 1, 4, (from, to) -> words.add(text.substring(from, to)));
            assertEquals(List.of("x", "  "), words, "the spaces end the range, so they stay together: " + row.name());
        }
    }

    @Test
    void takesALongRunOfOneCharacter() {
        for (PreTokenization row : TABLE) {
            for (String one : List.of("a", "A", "1", " ", "\n", "'", "日", "🚀", "\u0301", "\u0001")) {
                String text = one.repeat(300_000 / one.length()) + "日x";
                assertEquals(
                        text.length(),
                        words(row.preTokenizer(), text).stream()
                                .mapToInt(String::length)
                                .sum(),
                        row.name());
            }
        }
    }

    private static PreTokenizer named(String name) {
        return TABLE.stream()
                .filter(row -> row.name().equals(name))
                .findFirst()
                .orElseThrow()
                .preTokenizer();
    }

    private static List<String> words(PreTokenizer preTokenizer, String text) {
        List<String> words = new ArrayList<>();
        preTokenizer.split(text, 0, text.length(), (from, to) -> words.add(text.substring(from, to)));
        return words;
    }
}
