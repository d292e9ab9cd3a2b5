package dev.tandem.drafts.dflash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.ModelOptions;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.spi.backend.Precision;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Guesses and their fate against those of an independent engine, for every prompt. */
final class GoldenDraftTests {
    private static GenerationRequest request(JsonNode prompt) {
        return new GenerationRequest(
                Sprig.ints(prompt.get("ids")), 120, SamplingOptions.DEFAULTS, List.of(), true, true, () -> false);
    }

    @Test
    void acceptLengthsAndTheFirstBlockAreThoseOfTheReference() {
        try (Sprig sprig = new Sprig(ModelOptions.defaults().inPrecision(Precision.REFERENCE))) {
            for (JsonNode prompt : Sprig.prompts()) {
                String what = prompt.get("text").asString();
                JsonNode golden = prompt.get("dflash");
                Spy spy = new Spy();
                GenerationResult result = sprig.drafted(spy, sprig.drafter, Sprig.chains(15), request(prompt));
                assertTrue(result.draft().orElseThrow().parked().isEmpty(), () -> result.draft().toString());
                int[] greedy = Sprig.ints(prompt.get("greedy_ids"));
                assertArrayEquals(greedy, Arrays.copyOf(result.ids(), greedy.length), what);
                int[] expected = Sprig.ints(golden.get("accept"));
                int[] actual = spy.accepted.stream().mapToInt(Integer::intValue).limit(expected.length).toArray();
                assertArrayEquals(expected, actual, what);
                compareFirstBlock(golden, spy, what);
            }
        }
    }

    private static void compareFirstBlock(JsonNode golden, Spy spy, String what) {
        int[] ids = Objects.requireNonNull(spy.firstIds);
        float[] logProbs = Objects.requireNonNull(spy.firstLogProbs);
        for (int row = 0; row < 15; row++) {
            for (int rank = 0; rank < 8; rank++) {
                String where = what + ", position " + row + ", rank " + rank;
                int at = row * spy.best + rank;
                assertEquals(golden.get("first_block_top8_ids").get(row).get(rank).asInt(), ids[at], where);
                double expected = golden.get("first_block_top8_logprobs").get(row).get(rank).asDouble();
                assertEquals(expected, logProbs[at], 2e-3, where);
            }
        }
    }
}
