package dev.tandem.runtime.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

class DryTests {
    private static final long SEED = 20260106;

    private static byte[] letter(int id) {
        return new byte[] {(byte) ('a' + id)};
    }

    private static DryOptions options(float base, int allowed, int lastN, String... breakers) {
        return new DryOptions(0.8f, base, allowed, lastN, List.of(breakers));
    }

    private static Map<Integer, Float> losses(DryOptions options, IntFunction<byte[]> bytes, int... history) {
        int vocabulary = Arrays.stream(history).max().orElse(0) + 1;
        Candidates candidates = Rows.candidates(new float[vocabulary]);
        Dry dry = new Dry(options, bytes);
        Map<Integer, Float> losses = new TreeMap<>();
        for (int call = 0; call < 2; call++) { // the second finds its scratch memory as the first did
            candidates.load(new float[vocabulary], 0, vocabulary);
            dry.apply(candidates, TokenHistory.of(history, history.length), 0);
        }
        for (int id = 0; id < vocabulary; id++) {
            if (candidates.logit(id) != 0f) {
                losses.put(id, -candidates.logit(id));
            }
        }
        return losses;
    }

    @Test
    void theTokenThatWouldGoOnWithARepetitionLoses() {
        DryOptions options = options(1.5f, 2, -1);
        assertEquals(Map.of(), losses(options, DryTests::letter, 1, 2, 3, 2), "one token is no repetition");
        assertEquals(Map.of(3, 0.8f), losses(options, DryTests::letter, 1, 2, 3, 1, 2));
        assertEquals(Map.of(3, 0.8f * 1.5f), losses(options, DryTests::letter, 0, 1, 2, 3, 0, 1, 2));
        assertEquals(Map.of(3, 0.8f * 1.5f, 4, 0.8f), losses(options, DryTests::letter, 0, 1, 2, 3, 1, 2, 4, 0, 1, 2));
    }

    @Test
    void onlyTheLastIdsAreSearched() {
        assertEquals(Map.of(3, 0.8f), losses(options(2f, 2, 5), DryTests::letter, 1, 2, 3, 1, 2));
        assertEquals(Map.of(), losses(options(2f, 2, 4), DryTests::letter, 1, 2, 3, 1, 2));
    }

    @Test
    void aRepetitionReachesBackToTheLastBreaker() {
        // a b c d | a b c: with b as breaker only c repeats.
        assertEquals(Map.of(), losses(options(2f, 2, -1, "b"), DryTests::letter, 0, 1, 2, 3, 0, 1, 2));
        assertEquals(Map.of(3, 0.8f), losses(options(2f, 2, -1, "a"), DryTests::letter, 0, 1, 2, 3, 0, 1, 2));
        assertEquals(
                Map.of(),
                losses(options(2f, 1, -1, "c"), DryTests::letter, 0, 1, 2, 3, 0, 1, 2),
                "it ends in a breaker");
        assertEquals(
                Map.of(),
                losses(options(2f, 2, -1, "d"), DryTests::letter, 0, 1, 2, 3, 0, 1, 2),
                "a breaker is welcome");
    }

    @Test
    void aBreakerMaySpanTokensOrLieInsideOne() {
        int[] history = {0, 1, 2, 3, 0, 1, 2};
        assertEquals(Map.of(3, 0.8f * 4), losses(options(2f, 1, -1, "xy"), DryTests::letter, history));
        assertEquals(Map.of(3, 0.8f), losses(options(2f, 1, -1, "ab"), DryTests::letter, history), "it ends in the b");
        assertEquals(Map.of(), losses(options(2f, 2, -1, "dab"), DryTests::letter, history));
        IntFunction<byte[]> long1 = id -> id == 1 ? "x\ny".getBytes(StandardCharsets.UTF_8) : letter(id);
        assertEquals(Map.of(3, 0.8f), losses(options(2f, 1, -1, "\n"), long1, history));
    }

    @Test
    void noIdIsBannedByALongRepetition() {
        int[] history = new int[3000];
        float loss = losses(options(10f, 2, -1), DryTests::letter, history).getOrDefault(0, 0f);
        assertTrue(Float.isFinite(loss) && loss >= 1e29f, "loss " + loss);
    }

    @Test
    void lossesAreThoseOfAPlainReference() {
        Random random = new Random(SEED);
        int penalised = 0;
        for (int round = 0; round < 500; round++) {
            int[] history =
                    random.ints(random.nextInt(120), 0, 2 + random.nextInt(6)).toArray();
            int lastN = random.nextBoolean() ? -1 : 1 + random.nextInt(100);
            Set<Integer> breaking = random.nextBoolean() ? Set.of() : Set.of(random.nextInt(6));
            String[] breakers = breaking.stream()
                    .map(id -> String.valueOf((char) ('a' + id)))
                    .toArray(String[]::new);
            DryOptions options = options(1f + random.nextFloat(), 1 + random.nextInt(4), lastN, breakers);
            Map<Integer, Double> expected = PlainStages.losses(history, breaking, options);
            Map<Integer, Float> actual = losses(options, DryTests::letter, history);
            String where = "seed " + SEED + ", round " + round + ": " + options + Arrays.toString(history);
            assertEquals(expected.keySet(), actual.keySet(), where);
            expected.forEach((id, loss) -> assertEquals(loss, actual.getOrDefault(id, 0f), 1e-4 * loss, where));
            penalised += expected.size();
        }
        assertTrue(penalised > 300, "only " + penalised + " losses");
    }
}
