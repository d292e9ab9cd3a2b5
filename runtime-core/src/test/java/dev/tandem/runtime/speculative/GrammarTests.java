package dev.tandem.runtime.speculative;

import static dev.tandem.runtime.speculative.Speculating.GREEDY;
import static dev.tandem.runtime.speculative.Speculating.OPTIONS;
import static dev.tandem.runtime.speculative.Speculating.PROMPT;
import static dev.tandem.runtime.speculative.Speculating.WARM;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.decode.DraftStatistics;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.decode.StopReason;
import dev.tandem.runtime.grammar.Grammar;
import dev.tandem.runtime.grammar.TokenGrammar;
import dev.tandem.runtime.sampling.MirostatOptions;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.testkit.draft.RandomDrafts;
import dev.tandem.testkit.draft.ReplayDrafts;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The engine masks at each choice, so a text obeys its grammar whoever guesses, and is the one of plain decoding. */
final class GrammarTests {
    private static final String LIST =
            "root ::= \"[\" item (\", \" item){4,30} \"]\"\nitem ::= [0-9]{1,3} | \"\\\"\" [a-z ]{0,9} \"\\\"\"";
    private static final SamplingOptions MIROSTAT = SamplingOptions.builder()
            .temperature(1f)
            .mirostat(new MirostatOptions(2, 3f, 0.2f))
            .seed(3)
            .build();

    private static GenerationRequest request(
            Speculating s, SamplingOptions sampling, String grammar, boolean ignoreEnd) {
        return new GenerationRequest(PROMPT, 300, sampling, List.of(), ignoreEnd, false, () -> false)
                .withGrammar(new TokenGrammar(Grammar.parse(grammar, "test"), s.model.tokenizer()));
    }

    @Test
    void noDrafterChangesATextThatObeysAGrammar() {
        try (Speculating s = new Speculating("qwen3")) {
            for (SamplingOptions sampling : List.of(GREEDY, WARM, MIROSTAT)) {
                GenerationRequest request = request(s, sampling, LIST, false);
                GenerationResult plain = s.plain(request);
                assertTrue(
                        plain.text().matches("\\[([0-9]{1,3}|\"[a-z ]{0,9}\")(, ([0-9]{1,3}|\"[a-z ]{0,9}\")){4,30}]"),
                        plain.text());
                assertEquals(StopReason.END_OF_GENERATION, plain.stopReason());
                int[] run = s.run(request);
                for (Shape shape : Shape.values()) {
                    String what = shape + ", temperature " + sampling.temperature();
                    s.same(new RandomDrafts(5, s.vocabulary(), shape), OPTIONS, request, what);
                    ReplayDrafts partly = new ReplayDrafts(run, s.vocabulary(), shape, 0.3, 9);
                    DraftStatistics did = s.same(partly, OPTIONS, request, what);
                    assertTrue(did.accepted() > 3, what + ": " + did);
                }
            }
        }
    }

    @Test
    void aGenerationEndsWhereNothingCanFollow() {
        try (Speculating s = new Speculating("qwen3")) {
            for (boolean ignoreEnd : new boolean[] {false, true}) {
                GenerationResult result = s.plain(request(s, WARM, "root ::= \"yes\" | \"no\"", ignoreEnd));
                assertTrue(List.of("yes", "no").contains(result.text()), result.text());
                assertEquals(StopReason.END_OF_GENERATION, result.stopReason());
            }
        }
    }

    @Test
    void endTokensAreChosenOnlyWhereTheTextIsWhole() {
        try (Speculating s = new Speculating("qwen3")) {
            int end = s.model.tokenizer().endOfGeneration().iterator().next();
            SamplingOptions eager =
                    SamplingOptions.builder().logitBias(Map.of(end, 1000f)).build();
            GenerationResult result = s.plain(request(s, eager, "root ::= (\"ab\" \"cd\")+", false));
            assertEquals("abcd", result.text());
            assertEquals(end, result.ids()[result.ids().length - 1]);
            GenerationResult on = s.plain(request(s, eager, "root ::= (\"ab\" \"cd\"){3,5}", true));
            assertEquals("abcd".repeat(5), on.text());
        }
    }

    @Test
    void aTextThatNoTokenCanWriteIsRefused() {
        try (Speculating s = new Speculating("qwen3")) {
            SamplingOptions banned = SamplingOptions.builder()
                    .logitBias(Map.of(s.model.tokenizer().id("a").orElseThrow(), Float.NEGATIVE_INFINITY))
                    .build();
            UsageException refusal =
                    assertThrows(UsageException.class, () -> s.plain(request(s, banned, "root ::= \"a\"", false)));
            assertTrue(String.valueOf(refusal.getMessage()).contains("every logit of an allowed token is -inf"));
        }
    }
}
