package dev.tandem.runtime.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** SentencePiece on a vocabulary written by hand: 259 tokens as such files begin, then pieces. */
final class SentencePieceTests {
    private static final int BYTE_0 = 3;
    private static final int FIRST_PIECE = 259;

    private final List<String> tokens = new ArrayList<>();
    private final List<Double> scores = new ArrayList<>();
    private final List<Long> types = new ArrayList<>();

    SentencePieceTests() {
        add("<unk>", 0, 2);
        add("<s>", 0, 3);
        add("</s>", 0, 3);
        for (int b = 0; b < 256; b++) {
            add(String.format(Locale.ROOT, "<0x%02X>", b), 0, 6);
        }
    }

    private int add(String token, double score, long type) {
        tokens.add(token);
        scores.add(score);
        types.add(type);
        return tokens.size() - 1;
    }

    private FakeModel model() {
        return new FakeModel()
                .with("model", "llama")
                .with("tokens", List.copyOf(tokens))
                .with("scores", List.copyOf(scores))
                .with("token_type", List.copyOf(types));
    }

    private static int[] plain(FakeModel model, String text) {
        return Tokenizers.from(model.with("add_space_prefix", false)).encode(text, EncodeOptions.TEXT);
    }

    @Test
    void mergesTheHighestScoreFirstAndTheLeftmostAmongEquals() {
        int a = add("a", -10, 1);
        int b = add("b", -10, 1);
        int ab = add("ab", -2, 1);
        int ba = add("ba", -1, 1);
        int aa = add("aa", -3, 1);
        assertArrayEquals(new int[] {a, ba}, plain(model(), "aba"));
        assertArrayEquals(new int[] {ba, ba, b}, plain(model(), "babab"));
        assertArrayEquals(new int[] {aa, a}, plain(model(), "aaa"));
        assertArrayEquals(new int[] {ab}, plain(model(), "ab"));
    }

    @Test
    void ordersScoresOfEitherSignAndZero() {
        add("x", 0, 1);
        int y = add("y", 0, 1);
        int xy = add("xy", 0.5, 1);
        int yx = add("yx", -0.5, 1);
        assertArrayEquals(new int[] {xy, FIRST_PIECE}, plain(model(), "xyx"));
        assertArrayEquals(new int[] {yx}, plain(model(), "yx"));
        scores.set(xy, -0.0);
        scores.set(yx, 0.0);
        assertArrayEquals(new int[] {xy, FIRST_PIECE}, plain(model(), "xyx"), "zeros are equal");
        assertArrayEquals(new int[] {yx, y}, plain(model(), "yxy"));
    }

    @Test
    void mergesACharacterThatIsNoTokenByItself() {
        int pair = add("日本", -1, 1);
        int word = add("日本x", -2, 1);
        add("x", -3, 1);
        assertArrayEquals(new int[] {pair}, plain(model(), "日本"));
        assertArrayEquals(new int[] {word}, plain(model(), "日本x"));
        assertEquals(3, plain(model(), "日").length);
    }

    @Test
    void writesWhatIsNoTokenAsBytes() {
        assertArrayEquals(new int[] {BYTE_0 + 0xC3, BYTE_0 + 0xBC}, plain(model(), "ü"));
        Tokenizer tokenizer = Tokenizers.from(model());
        assertEquals("ü🚀", tokenizer.decode(tokenizer.encode("ü🚀", EncodeOptions.PROMPT), false));
    }

    @Test
    void putsASpaceBeforeEachRangeOfTextAndTakesItAway() {
        int space = add("▁", -1, 1);
        int a = add("a", -2, 1);
        int mark = add("<mark>", 0, 4);
        Tokenizer tokenizer = Tokenizers.from(model());
        int[] ids = tokenizer.encode("a<mark>a<s> a", EncodeOptions.PROMPT);
        assertArrayEquals(new int[] {1, space, a, mark, space, a, 1, space, space, a}, ids);
        assertEquals("<s>a<mark>a<s> a", tokenizer.decode(ids, true));
        assertEquals("a<mark>a a", tokenizer.decode(ids, false));
        assertArrayEquals(new int[] {1}, tokenizer.encode("", EncodeOptions.PROMPT));
        assertArrayEquals(new int[] {a}, plain(model(), "a"));
        Tokenizer bare = Tokenizers.from(model().with("add_space_prefix", false));
        assertEquals(" a", bare.decode(bare.encode(" a", EncodeOptions.PROMPT), false));
    }

    @Test
    void keepsTheSpaceOfAContinuation() {
        add("▁", -1, 1);
        int word = add("▁a", -2, 1);
        Tokenizer tokenizer = Tokenizers.from(model());
        StreamDecoder stream = tokenizer.stream(false);
        assertEquals(" a a", stream.accept(word) + stream.accept(word));
        assertEquals("a a", tokenizer.decode(new int[] {word, word}, false));
    }

    @Test
    void makesNoControlTokenOfText() {
        int open = add("<", -1, 1);
        int rest = add("s>", -1, 1);
        add("s", -1, 1);
        add(">", -1, 1);
        assertArrayEquals(new int[] {open, rest}, plain(model(), "<s>"));
        add("0x0A>", -1, 1);
        assertTrue(plain(model(), "<0x0A>").length > 1);
    }

    @Test
    void tellsWhereEachTokenStands() {
        add("▁", -1, 1);
        add("▁a", -2, 1);
        add("b", -3, 1);
        Tokenizer tokenizer = Tokenizers.from(model());
        Encoding encoding = tokenizer.encodeWithOffsets("a bü<s>  b", EncodeOptions.PROMPT);
        assertArrayEquals(tokenizer.encode("a bü<s>  b", EncodeOptions.PROMPT), encoding.ids());
        // <s>, _a, _, b, two bytes of the umlaut, <s>, the space in front, two spaces, b
        assertArrayEquals(new int[] {0, 0, 1, 2, 3, 4, 5, 8, 8, 9, 10}, encoding.starts());
        assertArrayEquals(new int[] {0, 1, 2, 3, 4, 5, 8, 8, 9, 10, 11}, encoding.ends());
    }

    @Test
    void swallowsWhiteSpaceBehindTheTokensOfPhi3() {
        int space = add("▁", -1, 1);
        int a = add("a", -2, 1);
        int end = add("<|end|>", 0, 3);
        FakeModel model = model();
        assertArrayEquals(
                new int[] {1, end, space, space, a}, Tokenizers.from(model).encode("<|end|> a", EncodeOptions.PROMPT));
        model.named("Phi-3 mini");
        Tokenizer phi = Tokenizers.from(model);
        assertArrayEquals(new int[] {1, end, space, a}, phi.encode("<|end|> \n\ta", EncodeOptions.PROMPT));
        assertArrayEquals(new int[] {1, 1, space, space, a}, phi.encode("<s> a", EncodeOptions.PROMPT));
        assertArrayEquals(
                new int[] {0, 0, 10, 10},
                phi.encodeWithOffsets("<|end|> \n\ta", EncodeOptions.PROMPT).starts());
    }

    @Test
    void addsBosAndEosByTheFilesRule() {
        int a = add("a", -1, 1);
        FakeModel model = model().with("add_space_prefix", false);
        Tokenizer silent = Tokenizers.from(model);
        assertEquals(OptionalInt.of(1), silent.bos());
        assertEquals(OptionalInt.of(2), silent.eos());
        assertTrue(silent.addsBos());
        assertFalse(silent.addsEos());
        EncodeOptions whole = new EncodeOptions(true, true, true);
        assertArrayEquals(new int[] {1, a}, silent.encode("a", whole));
        Tokenizer both = Tokenizers.from(model.with("add_eos_token", true));
        assertArrayEquals(new int[] {1, a, 2}, both.encode("a", whole));
        assertArrayEquals(new int[] {1, a}, both.encode("a", EncodeOptions.PROMPT), "a prompt goes on");
        assertFalse(Tokenizers.from(model.with("add_bos_token", false)).addsBos());
    }

    @Test
    void takesTheUnknownTokenWhereBytesAreMissing() {
        tokens.subList(BYTE_0, FIRST_PIECE).clear();
        scores.subList(BYTE_0, FIRST_PIECE).clear();
        types.subList(BYTE_0, FIRST_PIECE).clear();
        int a = add("a", -1, 1);
        assertArrayEquals(new int[] {a, 0, a}, plain(model(), "aüa"));
        types.set(0, 3L);
        FakeModel none = model();
        UsageException refused = assertThrows(UsageException.class, () -> plain(none, "aü"));
        assertEquals(
                "The model's vocabulary lacks bytes of the text 'ü' and has no unknown token", refused.getMessage());
    }

    @Test
    void refusesScoresThatAreMissingTooFewOrNotFinite() {
        assertRefused(model().without("scores"), "tokenizer.ggml.scores is missing");
        scores.removeLast();
        assertRefused(model(), "tokenizer.ggml.scores has 258 entries, but tokenizer.ggml.tokens has 259");
        scores.add(Double.NaN);
        assertRefused(model(), "tokenizer.ggml.scores is NaN for token 258, not a finite number");
    }

    private static void assertRefused(FakeModel model, String problem) {
        ModelFileException refused = assertThrows(ModelFileException.class, () -> Tokenizers.from(model));
        assertEquals(ErrorCode.MODEL_INCONSISTENT, refused.code());
        assertEquals("fake.gguf: " + problem, refused.getMessage());
    }

    @Test
    void encodesAMegabyteOfOneCharacter() {
        add("▁", -1, 1);
        add("a", -2, 1);
        add("aa", -3, 1);
        add("aaaa", -4, 1);
        Tokenizer tokenizer = Tokenizers.from(model());
        for (String one : List.of("a", " ", "日")) {
            String text = one.repeat(300_000);
            assertEquals(text, tokenizer.decode(tokenizer.encode(text, EncodeOptions.TEXT), true));
        }
    }
}
