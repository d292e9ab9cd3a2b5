package dev.tandem.drafts.dflash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.ModelOptions;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.decode.DraftStatistics;
import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.runtime.speculative.DraftOptions;
import dev.tandem.runtime.speculative.LoadedDraft;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.model.ModelView;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The text is that of plain decoding; what goes wrong in silence shows in how much is accepted. */
final class SameTextTests {
    private static final SamplingOptions WARM = SamplingOptions.builder()
            .temperature(0.8f)
            .topP(0.95f)
            .repeatPenalty(1.1f)
            .presencePenalty(0.2f)
            .seed(3)
            .build();

    /** Enough for differences to show. */
    private static final int PROMPTS = 3;

    private static GenerationRequest request(JsonNode prompt, int tokens, SamplingOptions sampling) {
        return new GenerationRequest(
                Sprig.ints(prompt.get("ids")), tokens, sampling, List.of(), true, true, () -> false);
    }

    @ParameterizedTest
    @CsvSource({"FAST, 1", "FAST, 2", "REFERENCE, 1", "REFERENCE, 2"})
    void chainsAndTreesOfAnySizeChangeNothing(Precision precision, int threads) {
        try (Sprig sprig =
                new Sprig(ModelOptions.defaults().inPrecision(precision).onThreads(threads))) {
            JsonNode prompt = Sprig.prompts().get(threads);
            for (SamplingOptions sampling : List.of(SamplingOptions.DEFAULTS, WARM)) {
                GenerationRequest request = request(prompt, 14, sampling);
                GenerationResult plain = sprig.plain(request);
                List<DraftOptions> bounds = List.of(
                        Sprig.chains(15),
                        Sprig.trees(1),
                        Sprig.trees(4),
                        Sprig.trees(16),
                        Sprig.trees(22),
                        Sprig.trees(64));
                for (DraftOptions options : bounds) {
                    GenerationResult drafted = sprig.drafted(new DflashProvider(), sprig.drafter, options, request);
                    String what = options + ", temperature " + sampling.temperature();
                    assertArrayEquals(plain.ids(), drafted.ids(), what);
                    assertEquals(plain.text(), drafted.text(), what);
                    DraftStatistics did = drafted.draft().orElseThrow();
                    assertTrue(did.parked().isEmpty(), () -> what + did.parked());
                    assertTrue(did.rounds() > 0, what);
                }
            }
        }
    }

    private static double tokensPerPass(Sprig sprig, ModelView drafter, DraftOptions options) {
        return tokensPerPass(sprig, drafter, options, PROMPTS, 32);
    }

    private static double tokensPerPass(Sprig sprig, ModelView drafter, DraftOptions options, int prompts, int length) {
        int tokens = 0;
        int passes = 0;
        for (int number = 0; number < prompts; number++) {
            GenerationRequest request = request(Sprig.prompts().get(number), length, SamplingOptions.DEFAULTS);
            DraftStatistics did = sprig.drafted(new DflashProvider(), drafter, options, request)
                    .draft()
                    .orElseThrow();
            assertTrue(did.parked().isEmpty(), () -> did.parked().toString());
            tokens += did.tokens();
            passes += did.passes();
        }
        return (double) tokens / passes;
    }

    @Test
    void aTreeAcceptsAtLeastAsMuchAsAChainOfAsManyRows() {
        try (Sprig sprig = new Sprig(ModelOptions.defaults())) {
            double chain = tokensPerPass(sprig, sprig.drafter, Sprig.chains(15));
            double tree = tokensPerPass(sprig, sprig.drafter, Sprig.trees(15));
            double large = tokensPerPass(sprig, sprig.drafter, Sprig.trees(64));
            System.out.printf("tokens per pass: chain 15 %.2f, tree 15 %.2f, tree 64 %.2f%n", chain, tree, large);
            assertTrue(tree >= chain && large >= tree, chain + ", " + tree + ", " + large);
        }
    }

    /** Each of these leaves the text right; only the guesses are worse. The golden accept lengths differ at once. */
    @Test
    void wrongTapsAndAWrongMaskShowInWhatIsAccepted() {
        try (Sprig sprig = new Sprig(ModelOptions.defaults())) {
            double right = tokensPerPass(sprig, sprig.drafter, Sprig.chains(15), 8, 40);
            double shifted = tokensPerPass(
                    sprig,
                    new EditedView(sprig.drafter).with("dflash.target_layers", List.of(1L, 3L, 5L, 6L)),
                    Sprig.chains(15),
                    8,
                    40);
            double otherMask = tokensPerPass(
                    sprig,
                    new EditedView(sprig.drafter).with("tokenizer.ggml.mask_token_id", 300L),
                    Sprig.chains(15),
                    8,
                    40);
            System.out.printf(
                    "tokens per pass: right %.2f, taps shifted %.2f, other mask %.2f%n", right, shifted, otherMask);
            assertTrue(shifted < right, "taps shifted by one: " + shifted + " of " + right);
            assertTrue(otherMask < 0.9 * right, "another mask token: " + otherMask + " of " + right);
        }
    }

    /** The drafter's context is cut with the sequence: what is accepted then is what a new session accepts. */
    @Test
    void anAbandonedAnswerLeavesNoTraceInTheContext() {
        try (Sprig sprig = new Sprig(ModelOptions.defaults())) {
            int[] prompt = Sprig.ints(Sprig.prompts().get(0).get("ids"));
            GenerationRequest first = request(Sprig.prompts().get(0), 30, WARM);
            GenerationRequest second = new GenerationRequest(
                    IntStream.concat(IntStream.of(prompt), IntStream.of(258)).toArray(),
                    40,
                    SamplingOptions.DEFAULTS,
                    List.of(),
                    true,
                    true,
                    () -> false);
            DraftStatistics fresh = sprig.drafted(new DflashProvider(), sprig.drafter, Sprig.chains(15), second)
                    .draft()
                    .orElseThrow();
            try (LoadedDraft draft = sprig.open(new DflashProvider(), sprig.drafter);
                    Session session = sprig.model.newSession(draft, Sprig.chains(15))) {
                session.generate(first, GenerationListener.NONE);
                DraftStatistics after = session.generate(second, GenerationListener.NONE)
                        .draft()
                        .orElseThrow();
                assertEquals(fresh.accepted(), after.accepted());
                assertEquals(fresh.depths(), after.depths());
            }
        }
    }
}
