package dev.tandem.runtime.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real vocabularies against ids that independent tokenizers made. */
final class GoldenTokensTests {
    @ParameterizedTest
    @ValueSource(strings = {"gpt-2", "llama-bpe", "qwen2", "llama-spm", "phi-3"})
    void encodesAndDecodesAllVectors(String family) throws IOException {
        String file = "tokenizers/ggml-vocab-" + family + ".gguf";
        Tokenizer tokenizer = GoldenTokens.tokenizer(file);
        List<GoldenTokens.Pair> vectors = GoldenTokens.vectors(file);
        assertEquals(46, vectors.size());
        for (GoldenTokens.Pair vector : vectors) {
            assertArrayEquals(vector.ids(), tokenizer.encode(vector.text(), EncodeOptions.TEXT), vector.text());
            assertEquals(vector.text(), tokenizer.decode(vector.ids(), false));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt-2", "llama-bpe", "qwen2", "llama-spm", "phi-3"})
    void decodesRandomTextToItself(String family) throws IOException {
        Tokenizer tokenizer = GoldenTokens.tokenizer("tokenizers/ggml-vocab-" + family + ".gguf");
        for (long seed = 0; seed < 5_000; seed++) {
            String text = new RandomText(seed).next(40);
            int[] ids = tokenizer.encode(text, EncodeOptions.TEXT);
            assertEquals(text, tokenizer.decode(ids, true), "seed " + seed);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "models/sprig-java-31m-q8_0.gguf,models/sprig-java-31m-q8_0.golden.json",
        "models/sprig-java-38m-hybrid-mtp-q8_0.gguf,models/sprig-java-38m-hybrid-mtp-q8_0.golden.json",
        "tiny/llama.gguf,tiny/golden.json",
    })
    void encodesThePromptsOfGoldenModelOutputs(String model, String golden) throws IOException {
        Tokenizer tokenizer = GoldenTokens.tokenizer(model);
        List<GoldenTokens.Pair> prompts = GoldenTokens.prompts(golden);
        assertTrue(prompts.size() >= 6, prompts.size() + " prompts in " + golden);
        for (GoldenTokens.Pair prompt : prompts) {
            assertArrayEquals(prompt.ids(), tokenizer.encode(prompt.text(), EncodeOptions.PROMPT), prompt.text());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"models/sprig-java-31m-q8_0", "models/sprig-java-38m-hybrid-mtp-q8_0"})
    void decodesTheContinuationsOfGoldenModelOutputs(String name) throws IOException {
        Tokenizer tokenizer = GoldenTokens.tokenizer(name + ".gguf");
        List<GoldenTokens.Pair> continuations = GoldenTokens.continuations(name + ".golden.json");
        assertTrue(continuations.size() >= 6, continuations.size() + " continuations");
        for (GoldenTokens.Pair continuation : continuations) {
            assertEquals(continuation.text(), tokenizer.decode(continuation.ids(), true));
        }
    }

    @Test
    void knowsTheSpecialTokensOfRealFiles() throws IOException {
        Tokenizer llama = GoldenTokens.tokenizer("tokenizers/ggml-vocab-llama-bpe.gguf");
        assertTrue(llama.addsBos());
        assertArrayEquals(
                new int[] {128000, 128006, 882, 128007, 128009},
                llama.encode("<|start_header_id|>user<|end_header_id|><|eot_id|>", EncodeOptions.PROMPT));
        assertEquals(Set.of(128001, 128009), llama.endOfGeneration());
        Tokenizer qwen = GoldenTokens.tokenizer("tokenizers/ggml-vocab-qwen2.gguf");
        assertFalse(qwen.addsBos());
        assertEquals(Set.of(151643, 151645), qwen.endOfGeneration());
        Tokenizer gpt2 = GoldenTokens.tokenizer("tokenizers/ggml-vocab-gpt-2.gguf");
        assertEquals(Set.of(50256), gpt2.endOfGeneration());
    }
}
