package dev.tandem.runtime.speculative;

import static dev.tandem.runtime.speculative.Speculating.GREEDY;
import static dev.tandem.runtime.speculative.Speculating.OPTIONS;
import static dev.tandem.runtime.speculative.Speculating.PROMPT;
import static dev.tandem.runtime.speculative.Speculating.WARM;
import static dev.tandem.runtime.speculative.Speculating.request;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.ModelOptions;
import dev.tandem.runtime.decode.DraftStatistics;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.StopReason;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.testkit.draft.RandomDrafts;
import dev.tandem.testkit.draft.ReplayDrafts;
import dev.tandem.testkit.draft.WrongDrafts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tokens, the text, the end and what the sequence holds are those of plain decoding, whoever guesses. */
final class SameTokensTests {
    private static final int END = 1022;

    private static DraftOptions depth(int depth) {
        return new DraftOptions(depth, 3 * depth, Shape.TREE, false, Duration.ofMinutes(10));
    }

    private static List<DraftProvider> drafters(int[] run, int vocabulary, Shape shape) {
        return List.of(
                new RandomDrafts(11, vocabulary, shape),
                new ReplayDrafts(run, vocabulary, shape),
                new ReplayDrafts(run, vocabulary, shape, 0.3, 12),
                new WrongDrafts(run, vocabulary, shape));
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen3", "llama", "qwen3moe"})
    void noDrafterChangesTheOutput(String name) {
        try (Speculating s = new Speculating(name)) {
            for (SamplingOptions sampling : List.of(GREEDY, WARM)) {
                String text = s.plain(request(50, sampling)).text();
                String stop = text.substring(text.length() * 2 / 3, text.length() * 2 / 3 + 2);
                for (GenerationRequest request : List.of(request(50, sampling), request(50, sampling, "@@", stop))) {
                    int[] run = s.run(request(60, sampling));
                    for (Shape shape : Shape.values()) {
                        for (DraftProvider drafter : drafters(run, s.vocabulary(), shape)) {
                            String what = name + ", " + drafter.id() + ", " + shape + ", " + request.stopStrings()
                                    + ", temperature " + sampling.temperature();
                            DraftStatistics did = s.same(drafter, OPTIONS, request, what);
                            assertTrue(did.parked().isEmpty(), what + ": " + did.parked());
                            assertTrue(did.rounds() > 0 && did.drafted() > 0, what + ": " + did);
                        }
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 9})
    void aRightDrafterNeedsOnePassPerDepthAndOne(int depth) {
        try (Speculating s = new Speculating("qwen3")) {
            for (SamplingOptions sampling : List.of(GREEDY, WARM)) {
                int[] run = s.run(request(80, sampling));
                for (Shape shape : Shape.values()) {
                    ReplayDrafts right = new ReplayDrafts(run, s.vocabulary(), shape);
                    DraftStatistics did = s.same(right, depth(depth), request(44, sampling), "depth " + depth);
                    assertEquals(Math.ceilDiv(43, depth + 1), did.passes(), "the first token is the prompt's");
                    assertEquals(43 - did.passes(), did.accepted());
                    if (shape == Shape.CHAIN) {
                        assertEquals(did.drafted(), did.accepted());
                    }
                    assertTrue(did.depths().stream().allMatch(d -> d.accepted() == d.reached()), did.toString());
                }
            }
        }
    }

    @Test
    void aWrongDrafterHasNothingAccepted() {
        try (Speculating s = new Speculating("qwen3")) {
            int[] run = s.run(request(60, WARM));
            for (Shape shape : Shape.values()) {
                WrongDrafts wrong = new WrongDrafts(run, s.vocabulary(), shape);
                DraftStatistics did = s.same(wrong, OPTIONS, request(40, WARM), shape.name());
                assertEquals(0, did.accepted());
                assertEquals(39, did.passes());
                assertEquals(1, did.tokensPerPass());
                assertEquals(38, did.rounds(), "the last token alone needs no guess");
                assertEquals(38, did.depths().getFirst().reached());
                assertEquals(0, did.depths().getFirst().conditionalRate());
            }
        }
    }

    @Test
    void ratesOfAPartlyWrongDrafterAreTheSharesOfItsRightGuesses() {
        try (Speculating s = new Speculating("qwen3")) {
            int[] run = s.run(request(140, WARM));
            ReplayDrafts partly = new ReplayDrafts(run, s.vocabulary(), Shape.CHAIN, 0.3, 5);
            DraftStatistics did = s.same(partly, OPTIONS, request(120, WARM), "partly wrong");
            for (int i = 0; i < did.depths().size(); i++) {
                DraftStatistics.Depth at = did.depths().get(i);
                assertTrue(at.accepted() <= at.reached() && at.reached() <= at.offered(), did.toString());
                if (i > 0) {
                    assertTrue(at.reached() <= did.depths().get(i - 1).accepted(), did.toString());
                }
            }
            double rate = did.depths().getFirst().rate();
            assertTrue(rate > 0.5 && rate < 0.9, "0.7 of the guesses are right: " + did);
            assertTrue(did.tokensPerPass() > 1.5, did.toString());
        }
    }

    @Test
    void everyNumberOfTokensEndsWhereItWouldWithoutGuesses() {
        try (Speculating s = new Speculating("llama")) {
            int[] run = s.run(request(40, WARM));
            for (int max = 0; max <= 20; max++) {
                for (Shape shape : Shape.values()) {
                    ReplayDrafts right = new ReplayDrafts(run, s.vocabulary(), shape);
                    s.same(right, depth(7), request(max, WARM), "max " + max + ", " + shape);
                }
            }
        }
    }

    @Test
    void everyContextEndsWhereItWouldWithoutGuesses() {
        int[] run;
        try (Speculating s = new Speculating("llama")) {
            run = s.run(request(40, WARM));
        }
        for (int context = PROMPT.length; context <= PROMPT.length + 18; context++) {
            try (Speculating s =
                    new Speculating("llama", ModelOptions.defaults().withContext(context))) {
                for (Shape shape : Shape.values()) {
                    ReplayDrafts right = new ReplayDrafts(run, s.vocabulary(), shape);
                    s.same(right, depth(7), request(-1, WARM), "context " + context + ", " + shape);
                    assertEquals(
                            StopReason.CONTEXT_FULL, s.plain(request(-1, WARM)).stopReason());
                }
            }
        }
    }

    @Test
    void anEndTokenInTheMiddleOfAnAcceptedPathEndsThere() {
        int depth = 7;
        int inside = 0;
        try (Speculating s = new Speculating("qwen3")) {
            for (int seed = 0; seed < 12; seed++) {
                SamplingOptions ending = SamplingOptions.builder()
                        .temperature(1)
                        .topK(0)
                        .seed(seed)
                        .logitBias(Map.of(END, 4f))
                        .build();
                GenerationRequest heeding =
                        new GenerationRequest(PROMPT, 60, ending, List.of(), false, false, () -> false);
                // What follows the end is guessed as well: a run that ignores it.
                int[] run = s.run(request(70, ending));
                ReplayDrafts right = new ReplayDrafts(run, s.vocabulary(), Shape.CHAIN);
                DraftStatistics did = s.same(right, depth(depth), heeding, "seed " + seed);
                assertTrue(did.depths().stream().allMatch(d -> d.accepted() == d.reached()), "the end is no miss");
                boolean ended = s.plain(heeding).stopReason() == StopReason.END_OF_GENERATION;
                inside += ended && did.tokens() % (depth + 1) != 0 ? 1 : 0;
            }
        }
        assertTrue(inside >= 3, "only " + inside + " runs ended inside a path");
    }

    @Test
    void stepsOfFewRowsLimitTheGuesses() {
        for (int rows : new int[] {1, 2, 4}) {
            try (Speculating s =
                    new Speculating("qwen3", ModelOptions.defaults().inStepsOf(rows))) {
                int[] run = s.run(request(40, GREEDY));
                ReplayDrafts right = new ReplayDrafts(run, s.vocabulary(), Shape.CHAIN);
                DraftStatistics did = s.same(right, depth(7), request(31, GREEDY), rows + " rows");
                assertEquals(Math.ceilDiv(30, rows), did.passes());
            }
        }
    }
}
