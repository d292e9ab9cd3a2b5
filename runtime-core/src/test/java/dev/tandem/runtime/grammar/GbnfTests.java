package dev.tandem.runtime.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GbnfTests {
    private static final String ARITHMETIC = """
            # sums of products
            root ::= sum "\\n"
            sum  ::= product (("+" | "-") product)*
            product ::=
              factor ("*" factor)*
            factor ::= [0-9]+
              | "(" sum ")"   # a group
            """;

    static Stream<Arguments> readings() {
        return Stream.of(
                reading("root ::= \"ab\"", "ab", Reading.WHOLE),
                reading("root ::= \"ab\"", "a", Reading.BEGINNING),
                reading("root ::= \"ab\"", "abc", Reading.WRONG),
                reading("root ::= \"\"", "", Reading.WHOLE),
                reading("root ::=", "", Reading.WHOLE),
                reading("root ::= \"a\" |", "", Reading.WHOLE),
                reading("root ::= [a-cx]{2}", "cx", Reading.WHOLE),
                reading("root ::= [a-cx]{2}", "cd", Reading.WRONG),
                reading("root ::= [^a-c]", "d", Reading.WHOLE),
                reading("root ::= [^a-c]", "b", Reading.WRONG),
                reading("root ::= [^\\n]", "\n", Reading.WRONG),
                reading("root ::= [a-]+", "a-", Reading.WHOLE),
                reading("root ::= [\\]\\-]+", "]-", Reading.WHOLE),
                reading("root ::= .", "\n", Reading.WHOLE),
                reading("root ::= .", "\uD83D\uDE00", Reading.WHOLE),
                reading("root ::= . .", "\uD83D\uDE00", Reading.BEGINNING),
                reading("root ::= [\\u00e4-\\U0001F600]", "\u20AC", Reading.WHOLE),
                reading("root ::= \"\\x41\\t\\\"\\\\\\u00e9\"", "A\t\"\\\u00E9", Reading.WHOLE),
                reading("root ::= \"\\xe9\"", "\u00E9", Reading.WHOLE),
                reading("root ::= \"ab\"*", "abab", Reading.WHOLE),
                reading("root ::= \"ab\"*", "aba", Reading.BEGINNING),
                reading("root ::= \"a\"+", "", Reading.BEGINNING),
                reading("root ::= \"a\"?", "aa", Reading.WRONG),
                reading("root ::= \"a\"{2,3}", "a", Reading.BEGINNING),
                reading("root ::= \"a\"{2,3}", "aaa", Reading.WHOLE),
                reading("root ::= \"a\"{2,3}", "aaaa", Reading.WRONG),
                reading("root ::= \"a\"{2,}", "aaaaa", Reading.WHOLE),
                reading("root ::= \"a\"{,2}", "aaa", Reading.WRONG),
                reading("root ::= \"a\"{0}", "", Reading.WHOLE),
                reading("root ::= (\"a\"?)* \"b\"", "aab", Reading.WHOLE),
                reading("root ::= (\"a\" |\n \"b\"\n)+", "ab", Reading.WHOLE),
                reading("root ::= a-1 b_2\na-1 ::= \"x\"\nb_2 ::= \"y\"", "xy", Reading.WHOLE),
                reading("root ::= \"a\" root | \"b\"", "aaab", Reading.WHOLE),
                reading("root ::= \"(\" root \")\" root | \"\"", "(())()", Reading.WHOLE),
                reading("root ::= \"(\" root \")\" root | \"\"", "(()))", Reading.WRONG),
                reading("root ::= \"a\"\r\n", "a", Reading.WHOLE),
                reading(ARITHMETIC, "1+(2*34-5)\n", Reading.WHOLE),
                reading(ARITHMETIC, "1+(2*34-5", Reading.BEGINNING),
                reading(ARITHMETIC, "1+)", Reading.WRONG));
    }

    private static Arguments reading(String grammar, String text, Reading expected) {
        return Arguments.of(grammar, text, expected);
    }

    @ParameterizedTest
    @MethodSource("readings")
    void readsTextsAsTheGrammarSays(String grammar, String text, Reading expected) {
        assertEquals(expected, Reading.of(grammar, text));
    }

    static Stream<Arguments> wrongGrammars() {
        return Stream.of(
                wrong("a ::= \"b\"", "test has no rule 'root'"),
                wrong("", "test has no rule 'root'"),
                wrong("root ::= \"a\"\nroot ::= \"b\"", "test, line 2: rule 'root' is defined before, in test, line 1"),
                wrong("root ::= b", "test, line 1: rule 'root' uses 'b', which is not defined"),
                wrong("root = \"a\"", "test, line 1: '::=' is missing behind the name 'root'"),
                wrong("root ::= \"a\n", "test, line 1: '\"' is missing at the end of the line"),
                wrong("root ::= [a", "test, line 1: ']' is missing at the end of the line"),
                wrong("root ::= []", "test, line 1: a class without characters matches nothing"),
                wrong("root ::= [z-a]", "test, line 1: a range of characters runs backwards"),
                wrong("root ::= (\"a\"", "test, line 1: ')' is missing at the end of a group"),
                wrong("root ::= \"a\")", "test, line 1: unexpected ')'"),
                wrong("root ::= \"a\" ::= b", "test, line 1: unexpected ':'"),
                wrong("root ::= \"a\"**", "test, line 1: unexpected '*'"),
                wrong("root ::= *", "test, line 1: unexpected '*'"),
                wrong("\n\nroot ::= \"a\"{3,2}", "test, line 3: a repetition of at least 3 and at most 2"),
                wrong("root ::= \"a\"{}", "test, line 1: a repetition needs a number of 1 to 7 digits"),
                wrong("root ::= \"a\"{99999999}", "test, line 1: a repetition needs a number of 1 to 7 digits"),
                wrong("root ::= \"\\q\"", "test, line 1: unknown escape '\\q'"),
                wrong("root ::= \"\\xZ1\"", "test, line 1: an escape needs 2 hexadecimal digits"),
                wrong("root ::= \"\\uD800\"", "test, line 1: U+d800 is no character"),
                wrong("root ::= \"\\UFFFFFFFF\"", "test, line 1: U+ffffffff is no character"),
                wrong("root ::= " + "(".repeat(200), "test, line 1: more than 100 groups in each other"),
                wrong(
                        "root ::= a\na ::= \"x\" a",
                        "test, line 1: rule 'root' never ends: it always needs itself again"),
                wrong("root ::= \"x\" | root \"y\"", "test, line 1: rule 'root' is left-recursive"),
                wrong(
                        "root ::= \"x\"\na ::= b?\n\nb ::= \"\"* a \"y\" | \"z\"",
                        "test, line 2: rule 'a' is left-recursive"),
                wrong("root ::= (\"a\"{1000}){1000}", "test, line 1: rule 'root' makes the grammar too large"),
                wrong("root ::= a\na ::= \"x\"{9999999}", "test, line 2: rule 'a' makes the grammar too large"));
    }

    @Test
    void tooManyRulesAreRefused() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 6000; i++) {
            text.append("r").append(i).append(" ::= \"a\"\n");
        }
        UsageException refusal = assertThrows(UsageException.class, () -> Grammar.parse(text.toString(), "test"));
        assertTrue(String.valueOf(refusal.getMessage()).startsWith("test, line 5001: rule 'r5000' comes after"));
    }

    private static Arguments wrong(String grammar, String message) {
        return Arguments.of(grammar, message);
    }

    @ParameterizedTest
    @MethodSource("wrongGrammars")
    void refusesAGrammarByRuleAndLine(String grammar, String message) {
        UsageException refusal = assertThrows(UsageException.class, () -> Grammar.parse(grammar, "test"));
        assertTrue(String.valueOf(refusal.getMessage()).startsWith(message), refusal::toString);
        assertEquals(ErrorCode.BAD_ARGUMENT, refusal.code());
    }

    @Test
    void deepNestingOfTheTextNeedsNoDeepStack() {
        int depth = 100_000;
        String text = "(".repeat(depth) + ")".repeat(depth);
        assertEquals(Reading.WHOLE, Reading.of("root ::= \"(\" root \")\" | \"\"", text));
    }

    @Test
    void tooManyWaysToReadATextAreRefusedByRule() {
        String grammar = "root ::= pair\npair ::= \"a\" pair \"b\" | \"a\" pair \"c\" | \"\"";
        assertEquals(Reading.WHOLE, Reading.of(grammar, "aaabcb"));
        UsageException refusal = assertThrows(UsageException.class, () -> Reading.of(grammar, "a".repeat(30)));
        assertTrue(
                String.valueOf(refusal.getMessage())
                        .startsWith("test, line 2: rule 'pair' makes the grammar too ambiguous"),
                refusal::toString);
    }

    @Test
    void bytesThatAreNoCharacterAreWrong() {
        Grammar any = Grammar.parse("root ::= .*", "test");
        int[][] malformed = {
            {0xC0, 0x80}, {0xED, 0xA0, 0x80}, {0xF4, 0x90, 0x80, 0x80}, {0x80}, {0xFF}, {0xE0, 0x80, 0x80}
        };
        for (int[] units : malformed) {
            byte[] bytes = new byte[units.length];
            for (int i = 0; i < units.length; i++) {
                bytes[i] = (byte) units[i];
            }
            assertEquals(Reading.WRONG, Reading.of(any, bytes));
        }
        assertEquals(Reading.BEGINNING, Reading.of(any, new byte[] {(byte) 0xE2, (byte) 0x82}));
    }

    @Test
    void aClassHoldsExactlyItsCharacters() {
        Grammar grammar = Grammar.parse("root ::= [a-z\\u0080-\\u07ff\\u3000-\\uabcd\\U00010010-\\U0010fffe]", "test");
        for (int c = 0; c <= Character.MAX_CODE_POINT; c += c % 64 >= 62 ? 1 : 1 + c / 40) {
            if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                continue;
            }
            boolean inside = c >= 'a' && c <= 'z'
                    || c >= 0x80 && c <= 0x7FF
                    || c >= 0x3000 && c <= 0xABCD
                    || c >= 0x10010 && c <= 0x10FFFE;
            byte[] bytes = Character.toString(c).getBytes(StandardCharsets.UTF_8);
            assertEquals(
                    inside ? Reading.WHOLE : Reading.WRONG, Reading.of(grammar, bytes), "U+" + Integer.toHexString(c));
        }
    }
}
