package dev.tandem.runtime.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
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

    @Test
    void refusesAnUnknownKindOfVocabulary() {
        assertRefused(ErrorCode.MODEL_UNSUPPORTED, SmallVocabulary.model().with("model", "rwkv"), "model", "'rwkv'");
    }

    @Test
    void refusesAnUnknownPreTokenizerAndListsTheSupported() {
        ModelFileException refused = assertRefused(
                ErrorCode.MODEL_UNSUPPORTED, SmallVocabulary.model().with("pre", "future"), "pre", "'future'");
        assertTrue(refused.remedy().contains("gpt-2, llama-bpe, qwen2"), refused.remedy());
    }

    @Test
    void takesAMissingPreTokenizerForTheDefaultAndRefusesThat() {
        assertRefused(ErrorCode.MODEL_UNSUPPORTED, SmallVocabulary.model().without("pre"), "pre", "'default'");
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

    @Test
    void refusesToAddABosThatTheFileDoesNotName() {
        FakeModel model = SmallVocabulary.model().with("add_bos_token", true);
        assertRefused(ErrorCode.MODEL_INCONSISTENT, model, "add_bos_token", "bos_token_id");
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
