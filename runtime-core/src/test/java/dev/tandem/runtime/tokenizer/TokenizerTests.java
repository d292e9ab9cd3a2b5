package dev.tandem.runtime.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.UsageException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

final class TokenizerTests {
    private static final int IM_START = 1021;
    private static final int IM_END = 1022;

    private final Tokenizer tokenizer = Tokenizers.from(SmallVocabulary.model());

    @Test
    void encodesTheGoldenPromptOfTheTinyModels() {
        int[] expected = Arrays.stream(
                        SmallVocabulary.resource("prompt.ids").strip().split(" "))
                .mapToInt(Integer::parseInt)
                .toArray();
        assertArrayEquals(expected, tokenizer.encode(SmallVocabulary.resource("prompt.txt"), EncodeOptions.PROMPT));
    }

    static final List<String> NAMES =
            PreTokenization.TABLE.stream().map(PreTokenization::name).toList();

    @ParameterizedTest
    @FieldSource("NAMES")
    void decodesRandomTextToItself(String pre) {
        Tokenizer family = Tokenizers.from(SmallVocabulary.model(pre, SmallVocabulary.CONTROL));
        for (long seed = 0; seed < 2_000; seed++) {
            String text = new RandomText(seed).next(30);
            int[] ids = family.encode(text, EncodeOptions.PROMPT);
            assertEquals(text, family.decode(ids, true), "seed " + seed);
            StringBuilder streamed = new StringBuilder();
            StreamDecoder decoder = family.stream(true);
            for (int id : ids) {
                String piece = decoder.accept(id);
                assertEquals(piece, CodePoints.wellFormed(piece), "seed " + seed);
                streamed.append(piece);
            }
            assertEquals(text, streamed.append(decoder.flush()).toString(), "seed " + seed);
        }
    }

    @Test
    void encodesALoneSurrogateAsReplacementCharacter() {
        int[] ids = tokenizer.encode("a\uD83Db\uDE80🚀\uD83D", EncodeOptions.TEXT);
        assertEquals("a\uFFFDb\uFFFD🚀\uFFFD", tokenizer.decode(ids, true));
    }

    @Test
    void recognisesControlTokensOnlyOnRequest() {
        String text = "<|im_start|>x<|im_end|>";
        int[] parsed = tokenizer.encode(text, EncodeOptions.PROMPT);
        assertEquals(3, parsed.length);
        assertEquals(IM_START, parsed[0]);
        assertEquals(IM_END, parsed[2]);
        assertEquals("x", tokenizer.decode(parsed, false));
        assertEquals(text, tokenizer.decode(parsed, true));
        int[] plain = tokenizer.encode(text, EncodeOptions.TEXT);
        assertTrue(Arrays.stream(plain).allMatch(id -> id < 1020));
        assertEquals(text, tokenizer.decode(plain, false));
    }

    @Test
    void recognisesUserDefinedTokensAlwaysAndTheLongestFirst() {
        FakeModel model = withTokens(List.of("<a>", "<a><b>", "<a><b><c>"), List.of(4L, 4L, 3L));
        Tokenizer user = Tokenizers.from(model);
        assertArrayEquals(new int[] {1025, 1024}, user.encode("<a><b><a>", EncodeOptions.TEXT));
        assertArrayEquals(new int[] {1026}, user.encode("<a><b><c>", EncodeOptions.PROMPT));
        assertEquals(1025, user.encode("<a><b><c>", EncodeOptions.TEXT)[0]);
        assertEquals("<a>", user.decode(new int[] {1024}, false));
    }

    @Test
    void neverFindsAnEmptySpecialToken() {
        Tokenizer empty = Tokenizers.from(withTokens(List.of(""), List.of(4L)));
        assertEquals("ab", empty.decode(empty.encode("ab", EncodeOptions.PROMPT), true));
    }

    @Test
    void putsBosFirstByTheFilesRuleOrTheFamilys() {
        FakeModel qwen = SmallVocabulary.model().with("bos_token_id", 1020L);
        assertFalse(Tokenizers.from(qwen).addsBos());
        Tokenizer asked = Tokenizers.from(qwen.with("add_bos_token", true));
        assertArrayEquals(new int[] {1020}, asked.encode("", EncodeOptions.PROMPT));
        assertArrayEquals(new int[0], asked.encode("", EncodeOptions.TEXT));
        FakeModel llama = SmallVocabulary.model("llama-bpe", SmallVocabulary.CONTROL);
        assertFalse(Tokenizers.from(llama).addsBos());
        assertTrue(Tokenizers.from(llama.with("bos_token_id", 1020L)).addsBos());
        assertFalse(Tokenizers.from(llama.with("add_bos_token", false)).addsBos());
    }

    @Test
    void takesAWholeWordForLlamaWhateverTheMergesSay() {
        FakeModel llama = SmallVocabulary.model("llama-bpe", SmallVocabulary.CONTROL);
        addToken(llama, "Ġzyxwv", 1L);
        assertArrayEquals(new int[] {1024}, Tokenizers.from(llama).encode(" zyxwv", EncodeOptions.TEXT));
        FakeModel qwen = SmallVocabulary.model();
        addToken(qwen, "Ġzyxwv", 1L);
        assertTrue(Tokenizers.from(qwen).encode(" zyxwv", EncodeOptions.TEXT).length > 1);
    }

    @Test
    void neverTurnsAWordIntoAControlToken() {
        FakeModel llama = SmallVocabulary.model("llama-bpe", List.of("stop"));
        int[] ids = Tokenizers.from(llama).encode("stop", EncodeOptions.TEXT);
        assertTrue(Arrays.stream(ids).allMatch(id -> id < 1020));
    }

    @Test
    void endsAnswersWithNamedAndWellKnownTokens() {
        assertEquals(Set.of(1020, IM_END), tokenizer.endOfGeneration());
        FakeModel model = SmallVocabulary.model().with("eot_token_id", 5L).with("eos_token_id", 7L);
        assertEquals(
                List.of(5, 7, 1020, IM_END), List.copyOf(Tokenizers.from(model).endOfGeneration()));
        assertEquals(OptionalInt.of(7), Tokenizers.from(model).eos());
    }

    @Test
    void endsNoAnswerWithWellKnownTextThatIsNoControlToken() {
        assertEquals(
                Set.of(1020, IM_END),
                Tokenizers.from(withTokens(List.of("<|eot_id|>"), List.of(4L))).endOfGeneration());
    }

    @Test
    void keepsGoingAfterTheEndOfAMessageWhereReturnAndCallExist() {
        FakeModel harmony = SmallVocabulary.model("qwen2", List.of("<|return|>", "<|call|>", "<|end|>"));
        assertEquals(Set.of(1020, 1021), Tokenizers.from(harmony).endOfGeneration());
        FakeModel named = harmony.with("eos_token_id", 1022L);
        assertEquals(Set.of(1020, 1021, 1022), Tokenizers.from(named).endOfGeneration());
        FakeModel solar = SmallVocabulary.model("qwen2", List.of("<|calls|>", "<|flush|>", "<|end|>"));
        assertEquals(Set.of(1020, 1021), Tokenizers.from(solar).endOfGeneration());
        FakeModel phi = SmallVocabulary.model("qwen2", List.of("<|end|>"));
        assertEquals(Set.of(1020), Tokenizers.from(phi).endOfGeneration());
    }

    @Test
    void givesThePieceAndTheBytesOfAToken() {
        int space = tokenizer.id("Ġ").orElseThrow();
        assertEquals("Ġ", tokenizer.piece(space));
        assertArrayEquals(new byte[] {' '}, tokenizer.bytes(space));
        assertEquals(TokenType.NORMAL, tokenizer.type(space));
        assertEquals(TokenType.CONTROL, tokenizer.type(IM_END));
        assertArrayEquals("<|im_end|>".getBytes(StandardCharsets.UTF_8), tokenizer.bytes(IM_END));
        Tokenizer bytes = Tokenizers.from(withTokens(List.of("<0xC3>", "<0xZZ>", "ü日"), List.of(6L, 6L, 1L)));
        assertArrayEquals(new byte[] {(byte) 0xC3}, bytes.bytes(1024));
        assertArrayEquals("<0xZZ>".getBytes(StandardCharsets.UTF_8), bytes.bytes(1025));
        assertEquals("\uFFFD日", bytes.decode(new int[] {1026}, true));
    }

    @Test
    void tellsWhereEachTokenStandsInTheText() {
        for (long seed = 0; seed < 500; seed++) {
            String text = new RandomText(seed).next(20) + "<|im_end|>ü" + new RandomText(-seed).next(5);
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            Encoding encoding = tokenizer.encodeWithOffsets(text, EncodeOptions.PROMPT);
            assertArrayEquals(tokenizer.encode(text, EncodeOptions.PROMPT), encoding.ids(), "seed " + seed);
            int at = 0;
            for (int i = 0; i < encoding.ids().length; i++) {
                assertEquals(at, encoding.starts()[i], "seed " + seed);
                at = encoding.ends()[i];
                assertArrayEquals(
                        Arrays.copyOfRange(bytes, encoding.starts()[i], at),
                        tokenizer.bytes(encoding.ids()[i]),
                        "seed " + seed);
            }
            assertEquals(bytes.length, at, "seed " + seed);
        }
    }

    @Test
    void givesBosAndEosNoPlaceInTheText() {
        FakeModel model = SmallVocabulary.model()
                .with("bos_token_id", 1020L)
                .with("eos_token_id", 1022L)
                .with("add_bos_token", true)
                .with("add_eos_token", true);
        Encoding encoding = Tokenizers.from(model).encodeWithOffsets("a", new EncodeOptions(true, true, true));
        assertArrayEquals(new int[] {1020, 64, 1022}, encoding.ids());
        assertArrayEquals(new int[] {0, 0, 1}, encoding.starts());
        assertArrayEquals(new int[] {0, 1, 1}, encoding.ends());
    }

    @Test
    void refusesAnIdOutsideTheVocabulary() {
        assertEquals(1024, tokenizer.vocabularySize());
        assertThrows(IndexOutOfBoundsException.class, () -> tokenizer.bytes(1024));
        assertThrows(IndexOutOfBoundsException.class, () -> tokenizer.decode(new int[] {-1}, true));
    }

    @Test
    void refusesOrMarksTextThatTheVocabularyLacks() {
        FakeModel few = new FakeModel()
                .with("model", "gpt2")
                .with("pre", "gpt-2")
                .with("tokens", List.of("a", "b", "?"))
                .with("token_type", List.of(1L, 1L, 2L))
                .with("merges", List.of());
        UsageException refused =
                assertThrows(UsageException.class, () -> Tokenizers.from(few).encode("abc", EncodeOptions.TEXT));
        assertEquals(
                "The model's vocabulary lacks bytes of the text 'abc' and has no unknown token", refused.getMessage());
        Tokenizer marking = Tokenizers.from(few.with("unknown_token_id", 2L));
        assertArrayEquals(new int[] {0, 1, 2}, marking.encode("abc", EncodeOptions.TEXT));
    }

    @Test
    void encodesAMegabyteOfOneCharacter() {
        for (String one : List.of("a", "日", " ", "<")) {
            String text = one.repeat(1_000_000 / one.getBytes(StandardCharsets.UTF_8).length);
            assertEquals(text, tokenizer.decode(tokenizer.encode(text, EncodeOptions.PROMPT), true));
        }
    }

    private static FakeModel withTokens(List<String> texts, List<Long> types) {
        FakeModel model = SmallVocabulary.model();
        for (int i = 0; i < texts.size(); i++) {
            addToken(model, texts.get(i), types.get(i));
        }
        return model;
    }

    private static void addToken(FakeModel model, String text, long type) {
        List<String> texts =
                new ArrayList<>(model.texts("tokenizer.ggml.tokens").orElseThrow());
        List<Long> types =
                new ArrayList<>(model.integers("tokenizer.ggml.token_type").orElseThrow());
        texts.add(text);
        types.add(type);
        model.with("tokens", texts).with("token_type", types);
    }
}
