package dev.tandem.runtime.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.Golden;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.sampling.Sampler;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.runtime.sampling.TokenHistory;
import dev.tandem.runtime.tokenizer.StreamDecoder;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.runtime.tokenizer.Tokenizers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A model of random logits under a grammar: its texts parse, are valid and end. */
class GeneratedTextsTests {
    private static final long SEED = 20260109;
    private static final int MOST_TOKENS = 20_000;
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private static Tokenizer byteLevel() throws IOException {
        try (GgufFile file = GgufFile.open(Golden.resource("tiny/qwen3.gguf"))) {
            return Tokenizers.from(file);
        }
    }

    private static String generate(
            Grammar grammar, TokenGrammar tokens, Tokenizer tokenizer, Random random, String where) {
        SamplingOptions options = SamplingOptions.builder()
                .temperature(1f)
                .topK(0)
                .topP(1f)
                .minP(0f)
                .seed(random.nextLong())
                .build();
        Sampler sampler = new Sampler(options);
        TokenMask mask = tokens.begin(tokenizer, true);
        StreamDecoder decoder = tokenizer.stream(false);
        StringBuilder text = new StringBuilder();
        float[] row = new float[tokenizer.vocabularySize()];
        for (int position = 0; !mask.isComplete(); position++) {
            assertTrue(position < MOST_TOKENS, where + ": does not end: " + text);
            if (position % 8 == 0) {
                for (int id = 0; id < row.length; id++) {
                    row[id] = 2 * (float) random.nextGaussian();
                }
            }
            BitSet allowed = mask.allowed();
            assertFalse(allowed.isEmpty(), where + ": nothing can follow: " + text);
            int id = sampler.sample(row, 0, row.length, TokenHistory.EMPTY, position, allowed);
            if (tokenizer.endOfGeneration().contains(id)) {
                assertTrue(mask.mayEnd(), where);
                break;
            }
            text.append(decoder.accept(id));
            mask.accept(id);
        }
        text.append(decoder.flush());
        assertEquals(Reading.WHOLE, Reading.of(grammar, text.toString().getBytes(StandardCharsets.UTF_8)));
        return text.toString();
    }

    private static void generateValidValues(Tokenizer tokenizer, int schemas, int textsOfEach) {
        Random random = new Random(SEED);
        RandomSchema schemaSource = new RandomSchema(random);
        for (int i = 0; i < schemas; i++) {
            Map<String, Object> schema = schemaSource.next(0);
            Grammar grammar = Grammar.ofJsonSchema(schema, "test");
            TokenGrammar tokens = new TokenGrammar(grammar, tokenizer);
            for (int j = 0; j < textsOfEach; j++) {
                String where = "seed " + SEED + ", schema " + i + " " + schema + ", text " + j;
                String text = generate(grammar, tokens, tokenizer, random, where);
                JsonNode value = JSON.readTree(text);
                assertTrue(RandomSchema.accepts(schema, value), where + ": " + text);
            }
        }
    }

    @Test
    void textsOfRandomSchemasAreValidWithByteLevelTokens() throws IOException {
        generateValidValues(byteLevel(), 120, 5);
    }

    @Test
    void textsOfRandomSchemasAreValidWithSentencePieceTokens() throws IOException {
        Path file = Path.of(System.getProperty("tandem.testdata", ""), "tokenizers/ggml-vocab-llama-spm.gguf");
        Assumptions.assumeTrue(Files.exists(file), "golden data is absent");
        try (GgufFile gguf = GgufFile.open(file)) {
            generateValidValues(Tokenizers.from(gguf), 25, 3);
        }
    }

    @Test
    void textsOfAGrammarObeyIt() throws IOException {
        Tokenizer tokenizer = byteLevel();
        Random random = new Random(SEED);
        List<String> grammars = List.of(
                "root ::= [^\\x00-\\x7f]{1,12} \"!\"",
                "root ::= line{2,5}\nline ::= [a-z]{1,8} \" = \" [0-9]{1,4} \"\\n\"",
                "root ::= tree\ntree ::= \"(\" tree \",\" tree \")\" | leaf | leaf | leaf\nleaf ::= [xyz]");
        for (String text : grammars) {
            Grammar grammar = Grammar.parse(text, "test");
            TokenGrammar tokens = new TokenGrammar(grammar, tokenizer);
            for (int i = 0; i < 40; i++) {
                generate(grammar, tokens, tokenizer, random, "seed " + SEED + ", " + text + ", text " + i);
            }
        }
    }
}
