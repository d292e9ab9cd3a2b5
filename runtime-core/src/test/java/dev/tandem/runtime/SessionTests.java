package dev.tandem.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.decode.StopReason;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.runtime.tokenizer.EncodeOptions;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.backend.Precision;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Generation through the façade, on a small random model. */
final class SessionTests {
    private static final int[] PROMPT = {845, 513, 467, 311, 402, 7, 537};
    private static final SamplingOptions WARM = SamplingOptions.builder()
            .temperature(0.8f)
            .topK(0)
            .repeatPenalty(1.1f)
            .seed(7)
            .build();

    private final Engine engine = Engine.open(EngineOptions.defaults());
    private final Model model = engine.load(Golden.resource("tiny/qwen3.gguf"), ModelOptions.defaults());

    @AfterEach
    void close() {
        model.close();
        engine.close();
    }

    private static GenerationRequest request(int[] prompt, int max, SamplingOptions sampling, String... stops) {
        return new GenerationRequest(prompt, max, sampling, List.of(stops), true, true, () -> false);
    }

    private GenerationResult fresh(GenerationRequest request) {
        try (Session session = model.newSession()) {
            return session.generate(request, GenerationListener.NONE);
        }
    }

    @Test
    void theSameSeedGivesTheSameTokensAndAnotherSeedOthers() {
        GenerationRequest request = request(PROMPT, 40, WARM);
        int[] ids = fresh(request).ids();
        assertEquals(40, ids.length);
        assertArrayEquals(ids, fresh(request).ids());
        SamplingOptions other = WARM.toBuilder().seed(8).build();
        assertFalse(Arrays.equals(ids, fresh(request(PROMPT, 40, other)).ids()));
    }

    @Test
    void tokensDoNotDependOnThreadsOrSteps() {
        int[] prompt = IntStream.range(0, 150).map(i -> i * 7 % 1000).toArray();
        int[] ids = fresh(request(prompt, 30, WARM)).ids();
        for (ModelOptions options : List.of(
                ModelOptions.defaults().onThreads(1),
                ModelOptions.defaults().onThreads(3),
                ModelOptions.defaults().inStepsOf(1),
                ModelOptions.defaults().inStepsOf(37))) {
            try (Model other = engine.load(Golden.resource("tiny/qwen3.gguf"), options);
                    Session session = other.newSession()) {
                assertArrayEquals(
                        ids,
                        session.generate(request(prompt, 30, WARM), GenerationListener.NONE)
                                .ids());
            }
        }
    }

    @Test
    void aSessionThatGoesOnGivesTheTokensOfAFreshOne() {
        GenerationResult first;
        try (Session session = model.newSession()) {
            first = session.generate(request(PROMPT, 20, WARM), GenerationListener.NONE);
            int[] longer = joined(joined(PROMPT, first.ids()), new int[] {3, 4, 5});
            GenerationResult second = session.generate(request(longer, 10, WARM), GenerationListener.NONE);
            assertArrayEquals(fresh(request(longer, 10, WARM)).ids(), second.ids());
            assertTrue(second.timings().promptTokens() <= 4, "only what is new is run");
            int[] changed = longer.clone();
            changed[3] = 99;
            assertArrayEquals(
                    fresh(request(changed, 10, WARM)).ids(),
                    session.generate(request(changed, 10, WARM), GenerationListener.NONE)
                            .ids());
        }
    }

    private static int[] joined(int[] a, int[] b) {
        return IntStream.concat(IntStream.of(a), IntStream.of(b)).toArray();
    }

    @Test
    void textIsHeardAsItIsReturnedAndTokensInOrder() {
        StringBuilder heard = new StringBuilder();
        List<Integer> ids = new ArrayList<>();
        List<Integer> progress = new ArrayList<>();
        GenerationListener listener = new GenerationListener() {
            @Override
            public void onText(String text) {
                heard.append(text);
            }

            @Override
            public void onToken(int id) {
                ids.add(id);
            }

            @Override
            public void onPrefill(int done, int total) {
                progress.add(done);
            }
        };
        try (Session session = model.newSession()) {
            GenerationResult result = session.generate(request(PROMPT, 60, WARM), listener);
            assertEquals(result.text(), heard.toString());
            assertArrayEquals(
                    result.ids(), ids.stream().mapToInt(Integer::intValue).toArray());
            assertEquals(List.of(PROMPT.length), progress);
            byte[] whole = model.tokenizer().decode(result.ids(), true).getBytes(StandardCharsets.UTF_8);
            assertArrayEquals(whole, result.text().getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void stopStringsEndTheTextBeforeThem() {
        String all = fresh(request(PROMPT, 60, WARM)).text();
        String stop = all.substring(20, 23);
        GenerationResult result = fresh(request(PROMPT, 60, WARM, "never appears", stop));
        assertEquals(StopReason.STOP_STRING, result.stopReason());
        assertEquals(all.substring(0, all.indexOf(stop)), result.text());
    }

    @Test
    void anEndTokenEndsTheGenerationUnlessIgnored() {
        SamplingOptions onlyEnd =
                SamplingOptions.builder().logitBias(Map.of(1022, 1e4f)).build();
        GenerationRequest heeding = new GenerationRequest(PROMPT, 9, onlyEnd, List.of(), false, false, () -> false);
        GenerationResult result = fresh(heeding);
        assertEquals(StopReason.END_OF_GENERATION, result.stopReason());
        assertArrayEquals(new int[] {1022}, result.ids());
        assertEquals("", result.text());
        GenerationResult ignoring = fresh(request(PROMPT, 9, onlyEnd));
        assertEquals(StopReason.MAX_TOKENS, ignoring.stopReason());
        assertEquals(9, ignoring.ids().length);
    }

    @Test
    void aFullContextEndsTheGenerationAndALongerPromptIsRefused() {
        try (Model small = engine.load(
                        Golden.resource("tiny/qwen3.gguf"),
                        ModelOptions.defaults().withContext(16));
                Session session = small.newSession()) {
            GenerationResult result = session.generate(request(PROMPT, -1, WARM), GenerationListener.NONE);
            assertEquals(StopReason.CONTEXT_FULL, result.stopReason());
            assertEquals(16 + 1, PROMPT.length + result.ids().length, "the last token needs no place");
            assertArrayEquals(fresh(request(PROMPT, result.ids().length, WARM)).ids(), result.ids());
            UsageException refused = assertThrows(
                    UsageException.class,
                    () -> session.generate(request(new int[17], 1, WARM), GenerationListener.NONE));
            assertEquals(ErrorCode.CONTEXT_FULL, refused.code());
            assertTrue(
                    refused.getMessage().contains("17") && refused.getMessage().contains("16"));
            assertThrows(
                    UsageException.class,
                    () -> session.generate(request(new int[0], 1, WARM), GenerationListener.NONE));
        }
    }

    @Test
    void cancellingKeepsWhatWasGenerated() {
        AtomicInteger left = new AtomicInteger(5);
        GenerationRequest request =
                new GenerationRequest(PROMPT, 50, WARM, List.of(), true, true, () -> left.getAndDecrement() <= 0);
        try (Session session = model.newSession()) {
            GenerationResult result = session.generate(request, GenerationListener.NONE);
            assertEquals(StopReason.CANCELLED, result.stopReason());
            assertTrue(result.ids().length > 0 && result.ids().length < 50);
            assertArrayEquals(
                    fresh(request(PROMPT, 50, WARM)).ids(),
                    session.generate(request(PROMPT, 50, WARM), GenerationListener.NONE)
                            .ids());
        }
    }

    @Test
    void aListenerThatThrowsEndsTheGenerationAndLeavesTheSessionUsable() {
        GenerationListener broken = new GenerationListener() {
            @Override
            public void onToken(int id) {
                throw new IllegalStateException("closed pipe");
            }
        };
        try (Session session = model.newSession()) {
            assertThrows(IllegalStateException.class, () -> session.generate(request(PROMPT, 5, WARM), broken));
            assertArrayEquals(
                    fresh(request(PROMPT, 5, WARM)).ids(),
                    session.generate(request(PROMPT, 5, WARM), GenerationListener.NONE)
                            .ids());
        }
    }

    @Test
    void sessionsOfOneModelMayRunAtTheSameTime() throws InterruptedException, ExecutionException {
        List<int[]> alone = IntStream.range(0, 4)
                .mapToObj(i -> fresh(request(new int[] {i, 5, 9}, 30, WARM)).ids())
                .toList();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<int[]>> results = IntStream.range(0, 4)
                    .mapToObj(i -> threads.submit(() ->
                            fresh(request(new int[] {i, 5, 9}, 30, WARM)).ids()))
                    .toList();
            for (int i = 0; i < 4; i++) {
                assertArrayEquals(alone.get(i), results.get(i).get());
            }
        }
    }

    @Test
    void twoModelsWithEqualTensorNamesKeepTheirOwnWeights() {
        int[] first = fresh(request(PROMPT, 20, WARM)).ids();
        try (Model second = engine.load(Golden.resource("tiny/llama.gguf"), ModelOptions.defaults())) {
            int[] other;
            try (Session session = second.newSession()) {
                other = session.generate(request(PROMPT, 20, WARM), GenerationListener.NONE)
                        .ids();
            }
            assertFalse(Arrays.equals(first, other));
            assertArrayEquals(first, fresh(request(PROMPT, 20, WARM)).ids());
        }
        assertArrayEquals(first, fresh(request(PROMPT, 20, WARM)).ids(), "closing the second leaves the first alone");
    }

    @Test
    void bothPrecisionsLoadFromOneEngine() {
        ModelOptions reference = ModelOptions.defaults().inPrecision(Precision.REFERENCE);
        try (Model exact = engine.load(Golden.resource("tiny/qwen3.gguf"), reference);
                Session session = exact.newSession()) {
            assertEquals(1024, session.logits(PROMPT).length);
            assertEquals(PROMPT.length, session.tokens().length);
            int[] ids = model.tokenizer().encode("int x = 1;", EncodeOptions.PROMPT);
            assertEquals("int x = 1;", model.tokenizer().decode(ids, true));
        }
    }

    @Test
    void aModelWithoutATokenizerRunsFromIds() {
        try (Model bare = engine.load(Golden.shared("archs/llama-dense-q8_0.gguf"), ModelOptions.defaults());
                Session session = bare.newSession()) {
            assertFalse(bare.tokenizer().hasText());
            GenerationResult result = session.generate(request(new int[] {1, 2, 3}, 5, WARM), GenerationListener.NONE);
            assertEquals(5, result.ids().length);
            assertEquals("", result.text());
            assertThrows(UsageException.class, () -> bare.tokenizer().encode("x", EncodeOptions.PROMPT));
        }
    }
}
