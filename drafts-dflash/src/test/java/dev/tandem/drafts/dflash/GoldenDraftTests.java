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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Guesses and their fate against those of an independent engine, for every prompt. */
@TestInstance(Lifecycle.PER_CLASS)
final class GoldenDraftTests {
    private final Sprig sprig = new Sprig(ModelOptions.defaults().inPrecision(Precision.REFERENCE));

    @AfterAll
    void close() {
        sprig.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    void acceptLengthsAndTheFirstBlockAreThoseOfTheReference(int number) {
        JsonNode prompt = Sprig.prompts().get(number);
        String what = prompt.get("text").asString();
        JsonNode golden = prompt.get("dflash");
        int[] expected = Sprig.ints(golden.get("accept"));
        Spy spy = new Spy();
        // So many that no round is cut short; it ends with the reference's last round.
        GenerationRequest request = new GenerationRequest(
                Sprig.ints(prompt.get("ids")),
                128,
                SamplingOptions.DEFAULTS,
                List.of(),
                true,
                true,
                () -> spy.accepted.size() >= expected.length);
        GenerationResult result = sprig.drafted(spy, sprig.drafter, Sprig.chains(15), request);
        assertTrue(
                result.draft().orElseThrow().parked().isEmpty(),
                () -> result.draft().toString());
        int[] greedy = Sprig.ints(prompt.get("greedy_ids"));
        assertArrayEquals(greedy, Arrays.copyOf(result.ids(), greedy.length), what);
        int[] actual = spy.accepted.stream().mapToInt(Integer::intValue).toArray();
        assertArrayEquals(expected, Arrays.copyOf(actual, expected.length), what);
        compareFirstBlock(golden, spy, what);
    }

    @Test
    void everyPromptOfTheReferenceIsTried() {
        assertEquals(8, Sprig.prompts().size());
    }

    private static void compareFirstBlock(JsonNode golden, Spy spy, String what) {
        int[] ids = Objects.requireNonNull(spy.firstIds);
        float[] logProbs = Objects.requireNonNull(spy.firstLogProbs);
        for (int row = 0; row < 15; row++) {
            for (int rank = 0; rank < 8; rank++) {
                String where = what + ", position " + row + ", rank " + rank;
                int at = row * spy.best + rank;
                assertEquals(
                        golden.get("first_block_top8_ids").get(row).get(rank).asInt(), ids[at], where);
                double expected = golden.get("first_block_top8_logprobs")
                        .get(row)
                        .get(rank)
                        .asDouble();
                assertEquals(expected, logProbs[at], 2e-3, where);
            }
        }
    }
}
