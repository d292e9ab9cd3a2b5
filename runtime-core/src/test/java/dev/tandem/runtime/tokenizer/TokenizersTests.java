package dev.tandem.runtime.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hostile and incomplete metadata: each is refused with the file, the key and what to do. */
final class TokenizersTests {
    @ParameterizedTest
    @ValueSource(strings = {"model", "tokens", "merges"})
    void refusesAMissingKey(String name) {
        assertRefused(ErrorCode.MODEL_INCONSISTENT, SmallVocabulary.model().without(name), name, "missing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwkv", "bert", "t5", "gemma4", "plamo2", "future"})
    void refusesAnUnknownKindOfVocabularyAndListsTheSupported(String kind) {
        ModelFileException refused = assertRefused(
                ErrorCode.MODEL_UNSUPPORTED, SmallVocabulary.model().with("model", kind), "model", "'" + kind + "'");
        assertEquals(
                "Use a model whose tokenizer is of the kind gpt2 (byte-level BPE) or llama (SentencePiece).",
                refused.remedy());
    }

    @Test
    void refusesAnUnknownPreTokenizerAndListsTheSupported() {
        ModelFileException refused = assertRefused(
                ErrorCode.MODEL_UNSUPPORTED, SmallVocabulary.model().with("pre", "future"), "pre", "'future'");
        for (PreTokenization row : PreTokenization.TABLE) {
            assertTrue(refused.remedy().contains(" " + row.name()), refused.remedy());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "llama-bpe",
                "qwen2",
                "qwen35",
                "gpt-2",
                "gpt-4o",
                "smollm",
                "deepseek-llm",
                "deepseek-coder",
                "deepseek-v3",
                "tekken",
                "glm4",
                "chatglm-bpe",
                "default",
                "lfm2",
                "smaug-bpe",
                "dbrx",
                "llama4"
            })
    void readsEachPreTokenizerByEachOfItsNames(String name) {
        Tokenizer tokenizer = Tokenizers.from(SmallVocabulary.model(name, SmallVocabulary.CONTROL));
        assertEquals(List.of(), tokenizer.notes());
    }

    @Test
    void namesOfPreTokenizersAreUnique() {
        List<String> names = PreTokenization.TABLE.stream()
                .flatMap(row -> Stream.concat(Stream.of(row.name()), row.aliases().stream()))
                .toList();
        assertEquals(names.size(), Set.copyOf(names).size(), names.toString());
    }

    @Test
    void takesAMissingPreTokenizerForTheDefaultAndSaysSo() {
        Tokenizer guessed = Tokenizers.from(SmallVocabulary.model().without("pre"));
        Tokenizer named = Tokenizers.from(SmallVocabulary.model().with("pre", "default"));
        String text = "a1234+b";
        assertArrayEquals(named.encode(text, EncodeOptions.TEXT), guessed.encode(text, EncodeOptions.TEXT));
        assertTrue(
                guessed.notes().getFirst().contains("tokenizer.ggml.pre"),
                guessed.notes().toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "no_vocab", "test", ""})
    void readsAFileWithoutATokenizerAndRefusesText(String kind) {
        FakeModel model = new FakeModel().withRows(128);
        Tokenizer none = Tokenizers.from(kind.isEmpty() ? model : model.with("model", kind));
        assertFalse(none.hasText());
        assertEquals(128, none.vocabularySize());
        assertEquals(OptionalInt.empty(), none.id(""));
        StreamDecoder stream = none.stream(true);
        assertEquals("", stream.accept(127) + stream.flush());
        for (Executable ask : List.<Executable>of(
                () -> none.encode("x", EncodeOptions.TEXT), () -> none.decode(new int[] {1}, true))) {
            UsageException refused = assertThrows(UsageException.class, ask);
            assertEquals(
                    "fake.gguf has no tokenizer, so it runs from token ids and not from text", refused.getMessage());
        }
    }

    @Test
    void allocatesNothingForTheRowsOfAFileWithoutATokenizer() {
        assertEquals(
                Integer.MAX_VALUE,
                Tokenizers.from(new FakeModel().withRows(1L << 50)).vocabularySize());
    }

    @Test
    void listsEveryKindOnceWithItsEvidence() {
        List<Tokenizers.Kind> kinds = Tokenizers.kinds();
        assertEquals(PreTokenization.TABLE.size() + 2, kinds.size());
        assertEquals(
                List.of("gpt-2", "llama-bpe", "qwen2", "with space prefix"),
                kinds.stream()
                        .filter(kind -> kind.evidence() == Evidence.VECTORS)
                        .map(Tokenizers.Kind::name)
                        .toList());
    }

    @Test
    void takesTokensWithoutTypesForNormal() {
        Tokenizer plain = Tokenizers.from(SmallVocabulary.model().without("token_type"));
        assertEquals(TokenType.NORMAL, plain.type(1022));
        assertTrue(plain.endOfGeneration().isEmpty());
    }

    @Test
    void refusesAnEmptyVocabulary() {
        FakeModel empty = SmallVocabulary.model().with("tokens", List.of()).with("token_type", List.of());
        assertRefused(ErrorCode.MODEL_INCONSISTENT, empty, "tokens", "empty");
    }

    @Test
    void refusesTypesOfAnotherNumberThanTokens() {
        FakeModel model = SmallVocabulary.model().with("token_type", Collections.nCopies(1023, 1L));
        assertRefused(ErrorCode.MODEL_INCONSISTENT, model, "token_type", "1023", "1024");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7, -1, Long.MAX_VALUE, 4294967297L})
    void refusesATypeThatTheFormatLacks(long type) {
        FakeModel model = SmallVocabulary.model().with("token_type", Collections.nCopies(1024, type));
        assertRefused(ErrorCode.MODEL_INCONSISTENT, model, "token_type", Long.toString(type), "token 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a", "a ", " a", "ab"})
    void refusesAMergeThatIsNotTwoTokens(String merge) {
        FakeModel model = SmallVocabulary.model().with("merges", List.of("e r", merge));
        assertRefused(ErrorCode.MODEL_INCONSISTENT, model, "merges", "entry 1", "'" + merge + "'");
    }

    @ParameterizedTest
    @CsvSource({"qqq r,qqq", "e qqq,qqq", "q q,qq", "'e r r','r r'"})
    void refusesAMergeOfTokensThatTheVocabularyLacks(String merge, String lacking) {
        FakeModel model = SmallVocabulary.model().with("merges", List.of(merge));
        assertRefused(ErrorCode.MODEL_INCONSISTENT, model, "merges", "entry 0", "'" + lacking + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bos_token_id", "eos_token_id", "eot_token_id", "eom_token_id", "unknown_token_id"})
    void refusesAnIdOutsideTheVocabulary(String name) {
        for (long id : new long[] {-1, 1024, 4294967296L, Long.MIN_VALUE}) {
            FakeModel model = SmallVocabulary.model().with(name, id);
            assertRefused(ErrorCode.MODEL_INCONSISTENT, model, name, Long.toString(id), "0 to 1023");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bos", "eos"})
    void refusesToAddATokenThatTheFileDoesNotName(String token) {
        FakeModel model = SmallVocabulary.model().with("add_" + token + "_token", true);
        assertRefused(ErrorCode.MODEL_INCONSISTENT, model, "add_" + token + "_token", token + "_token_id");
    }

    @Test
    void takesTheLowerIdOfATextThatComesTwice() {
        FakeModel model = SmallVocabulary.model("qwen2", List.of("<x>", "<x>"));
        Tokenizer tokenizer = Tokenizers.from(model);
        assertEquals(1020, tokenizer.id("<x>").orElseThrow());
        assertEquals(1020, tokenizer.encode("<x>", EncodeOptions.PROMPT)[0]);
    }

    private static ModelFileException assertRefused(ErrorCode code, FakeModel model, String name, String... parts) {
        ModelFileException refused = assertThrows(ModelFileException.class, () -> Tokenizers.from(model));
        assertEquals(code, refused.code());
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.startsWith("fake.gguf: tokenizer.ggml." + name + " "), message);
        for (String part : parts) {
            assertTrue(message.contains(part), message);
        }
        assertFalse(refused.remedy().isBlank());
        return refused;
    }
}
