package dev.tandem.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.sampling.LogProbabilities;
import dev.tandem.runtime.tokenizer.EncodeOptions;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.numeric.Sums;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Logits and greedy tokens against those of independent engines. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GoldenModelTests {
    private static final String SPRIG = "models/sprig-java-31m-q8_0";

    private final Engine engine = Engine.open(EngineOptions.defaults());

    @AfterAll
    void close() {
        engine.close();
    }

    private Model load(Path file, Precision precision) {
        return engine.load(file, ModelOptions.defaults().inPrecision(precision));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "llama",
                "llama-tied",
                "mistral",
                "deepseek2",
                "gemma3",
                "gpt-oss",
                "qwen2",
                "qwen3",
                "qwen3-yarn",
                "qwen3moe",
                "smollm3"
            })
    void tinyModelsGiveTheGoldenLogitsAndTokens(String name) {
        JsonNode golden = Golden.json(Golden.resource("tiny/golden.json"))
                .get(name)
                .get("prompts")
                .get(0);
        float[] expected = Golden.floats(Golden.resource("tiny/" + name + ".logits.f32"));
        int[] ids = Golden.ints(golden.get("ids"));
        try (Model model = load(Golden.resource("tiny/" + name + ".gguf"), Precision.REFERENCE);
                Session session = model.newSession()) {
            assertArrayEquals(ids, model.tokenizer().encode(golden.get("text").asString(), EncodeOptions.PROMPT));
            double difference = 0;
            double size = 0;
            for (int row = 0; row < ids.length; row++) {
                float[] logits = session.logits(Arrays.copyOf(ids, row + 1));
                for (int i = 0; i < logits.length; i++) {
                    double e = expected[row * logits.length + i];
                    difference += (logits[i] - e) * (logits[i] - e);
                    size += e * e;
                }
            }
            double relative = Math.sqrt(difference / size);
            assertTrue(relative <= 1e-4, name + ": relative error " + relative);
            int[] greedy = Golden.ints(golden.get("greedy_ids"));
            assertArrayEquals(greedy, greedy(session, ids, greedy.length));
        }
    }

    private static int[] greedy(Session session, int[] prompt, int count) {
        GenerationRequest request = GenerationRequest.greedy(prompt, count);
        GenerationRequest endless =
                new GenerationRequest(prompt, count, request.sampling(), List.of(), true, true, request.cancelled());
        return session.generate(endless, GenerationListener.NONE).ids();
    }

    @Test
    void aTrainedModelGivesTheGoldenLogitsAndTokens() {
        JsonNode golden = Golden.json(Golden.shared(SPRIG + ".golden.json")).get("prompts");
        float[] expected = Golden.floats(Golden.shared(SPRIG + ".logits.f32"));
        try (Model model = load(Golden.shared(SPRIG + ".gguf"), Precision.REFERENCE)) {
            for (int p = 0; p < golden.size(); p++) {
                int[] ids = Golden.ints(golden.get(p).get("ids"));
                assertArrayEquals(
                        ids, model.tokenizer().encode(golden.get(p).get("text").asString(), EncodeOptions.PROMPT));
                try (Session session = model.newSession()) {
                    float[] logits = session.logits(ids);
                    for (int i = 0; i < logits.length; i++) {
                        assertEquals(expected[p * logits.length + i], logits[i], 2e-3, "prompt " + p + " logit " + i);
                    }
                    assertEquals(Golden.ints(golden.get(p).get("top_ids"))[0], Sums.argMax(logits, 0, logits.length));
                    int[] greedy = Golden.ints(golden.get(p).get("greedy_ids"));
                    assertArrayEquals(greedy, greedy(session, ids, greedy.length), "prompt " + p);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"FAST", "REFERENCE"})
    void theLossOfATrainedModelIsTheGoldenLoss(Precision precision) {
        JsonNode golden = Golden.json(Golden.shared(SPRIG + ".golden.json")).get("nll");
        int[] ids = Golden.ints(golden.get("ids"));
        try (Model model = load(Golden.shared(SPRIG + ".gguf"), precision)) {
            float[] losses = model.scorer().losses(ids, (done, total) -> {});
            assertEquals(ids.length - 1, losses.length);
            double mean = 0;
            for (int i = 0; i < losses.length; i++) {
                mean += losses[i] / (double) losses.length;
                if (precision == Precision.REFERENCE) {
                    assertEquals(golden.get("nll").get(i).asDouble(), losses[i], 2e-3, "token " + i);
                }
            }
            double expected = golden.get("mean").asDouble();
            assertEquals(expected, mean, expected * (precision == Precision.FAST ? 5e-3 : 1e-4));
        }
    }

    @Test
    void logProbabilitiesOfAPromptAreThoseOfItsLogits() {
        try (Model model = load(Golden.resource("tiny/qwen3.gguf"), Precision.FAST);
                Session session = model.newSession()) {
            float[] logits = session.logits(new int[] {5, 6, 7});
            double sum = 0;
            for (LogProbabilities.Entry entry : LogProbabilities.top(logits, 0, logits.length, logits.length)) {
                sum += Math.exp(entry.logProbability());
            }
            assertEquals(1.0, sum, 1e-5);
        }
    }
}
