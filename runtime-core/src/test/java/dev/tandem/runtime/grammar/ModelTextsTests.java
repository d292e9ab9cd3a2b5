package dev.tandem.runtime.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.Engine;
import dev.tandem.runtime.EngineOptions;
import dev.tandem.runtime.Model;
import dev.tandem.runtime.ModelOptions;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.decode.StopReason;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.runtime.tokenizer.EncodeOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The model that comes along, under random schemas and grammars: every text ends by itself, parses and is valid. The number
 * of texts is {@code -Dtandem.grammar.texts=10000}, the seed {@code -Dtandem.grammar.seed}.
 */
class ModelTextsTests {
    private static final long SEED = Long.getLong("tandem.grammar.seed", 20261201);
    private static final int TEXTS = Integer.getInteger("tandem.grammar.texts", 24);
    private static final int TEXTS_OF_EACH = 4;
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    private static final List<String> PROMPTS =
            List.of("public", "// ", "String json = ", "import java.util.", "{\n", "    /**\n     * Returns");

    /** A grammar and who judges its texts. */
    private record Form(String name, Grammar grammar, Predicate<String> accepts) {}

    private static Form schema(Random random) {
        Map<String, Object> schema = new RandomSchema(random).next(random.nextInt(3));
        return new Form(schema.toString(), Grammar.ofJsonSchema(schema, "test"), text -> {
            try {
                return RandomSchema.accepts(schema, JSON.readTree(text));
            } catch (JacksonException e) {
                return false;
            }
        });
    }

    private static Form pattern(Random random) {
        RandomPattern pattern = RandomPattern.next(random, 0);
        Pattern judge = Pattern.compile(pattern.regex());
        return new Form(
                pattern.gbnf(),
                Grammar.parse("root ::= " + pattern.gbnf(), "test"),
                text -> judge.matcher(text).matches());
    }

    private static SamplingOptions sampling(Random random) {
        return SamplingOptions.builder()
                .temperature(random.nextInt(4) == 0 ? 0 : 2 * random.nextFloat())
                .topK(random.nextBoolean() ? 0 : 40)
                .repeatPenalty(random.nextBoolean() ? 1 : 1.2f)
                .seed(random.nextLong())
                .build();
    }

    @Test
    void everyTextEndsParsesAndIsValid() {
        System.getLogger(ModelTextsTests.class.getName()).log(System.Logger.Level.INFO, TEXTS + " texts, seed " + SEED);
        Random random = new Random(SEED);
        Path file = Path.of(System.getProperty("tandem.root", ".."), "models", "sprig-java-31m-q4_k_m.gguf");
        long tokens = 0;
        int empty = 0;
        try (Engine engine = Engine.open(EngineOptions.defaults());
                Model model = engine.load(file, ModelOptions.defaults().onThreads(1));
                Session session = model.newSession()) {
            for (int i = 0; i < TEXTS; i += TEXTS_OF_EACH) {
                Form form = random.nextBoolean() ? schema(random) : pattern(random);
                TokenGrammar grammar = new TokenGrammar(form.grammar(), model.tokenizer());
                int[] prompt =
                        model.tokenizer().encode(PROMPTS.get(random.nextInt(PROMPTS.size())), EncodeOptions.PROMPT);
                for (int j = 0; j < TEXTS_OF_EACH && i + j < TEXTS; j++) {
                    GenerationRequest request =
                            new GenerationRequest(prompt, -1, sampling(random), List.of(), false, false, () -> false);
                    GenerationResult result = session.generate(request.withGrammar(grammar), GenerationListener.NONE);
                    String where = "seed " + SEED + ", text " + (i + j) + " of " + form.name() + ": " + result.text();
                    assertEquals(StopReason.END_OF_GENERATION, result.stopReason(), where);
                    assertTrue(form.accepts().test(result.text()), where);
                    tokens += result.ids().length;
                    empty += result.text().isEmpty() ? 1 : 0;
                }
            }
        }
        System.getLogger(ModelTextsTests.class.getName())
                .log(System.Logger.Level.INFO, tokens + " tokens, " + empty + " empty texts");
        assertTrue(tokens > TEXTS && 2 * empty < TEXTS, "there is something to judge");
    }
}
