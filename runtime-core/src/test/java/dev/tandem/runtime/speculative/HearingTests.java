package dev.tandem.runtime.speculative;

import static dev.tandem.runtime.speculative.Speculating.OPTIONS;
import static dev.tandem.runtime.speculative.Speculating.PROMPT;
import static dev.tandem.runtime.speculative.Speculating.WARM;
import static dev.tandem.runtime.speculative.Speculating.request;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.ModelOptions;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.spi.draft.CommittedRun.Phase;
import dev.tandem.spi.draft.Verdict;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a strategy is told: every committed token once, in order, and what was cut. */
final class HearingTests {
    private final Speculating s =
            new Speculating("qwen3", ModelOptions.defaults().inStepsOf(3));

    @AfterEach
    void close() {
        s.close();
    }

    @Test
    void theStrategyHearsThePromptInItsPiecesAndThenEveryCommittedPath() {
        int[] run = s.run(request(21, WARM));
        HearingDrafts hearing = new HearingDrafts(run);
        try (LoadedDraft draft = s.open(hearing);
                Session session = s.model.newSession(draft, OPTIONS)) {
            GenerationResult result = session.generate(request(20, WARM), GenerationListener.NONE);
            assertTrue(
                    result.draft().orElseThrow().parked().isEmpty(),
                    () -> result.draft().toString());
            assertEquals(List.of(Phase.PREFILL, Phase.PREFILL, Phase.PREFILL), hearing.phases.subList(0, 3));
            assertEquals(
                    List.of(Phase.DECODE),
                    hearing.phases.subList(3, hearing.phases.size()).stream()
                            .distinct()
                            .toList());
            assertArrayEquals(session.tokens(), heard(hearing));
            assertEquals(result.draft().orElseThrow().rounds(), hearing.verdicts.size());
            Verdict first = hearing.verdicts.getFirst();
            assertArrayEquals(new int[] {0, 1}, first.accepted(), "two rows beside the current token");
            assertEquals(run[PROMPT.length + 3], first.nextToken());
        }
        assertTrue(hearing.truncations.isEmpty());
    }

    private static int[] heard(HearingDrafts hearing) {
        return hearing.heard.stream().mapToInt(Integer::intValue).toArray();
    }

    @Test
    void aPromptThatChangesCutsWhatTheStrategyKnows() {
        int[] changed = PROMPT.clone();
        changed[4] = 99;
        GenerationRequest other = new GenerationRequest(changed, 12, WARM, List.of(), true, true, () -> false);
        HearingDrafts hearing = new HearingDrafts(s.run(other));
        try (LoadedDraft draft = s.open(hearing);
                Session session = s.model.newSession(draft, OPTIONS)) {
            session.logits(Arrays.copyOf(PROMPT, 6));
            GenerationResult result = session.generate(other, GenerationListener.NONE);
            assertTrue(
                    result.draft().orElseThrow().parked().isEmpty(),
                    () -> result.draft().toString());
            assertArrayEquals(s.plain(other).ids(), result.ids());
            assertTrue(result.draft().orElseThrow().accepted() > 0);
            session.logits(changed);
            GenerationResult again = session.generate(other, GenerationListener.NONE);
            assertTrue(
                    again.draft().orElseThrow().parked().isEmpty(),
                    () -> again.draft().toString());
            assertEquals(List.of(4, 6, 6), hearing.truncations);
            assertArrayEquals(result.ids(), again.ids());
            session.logits(PROMPT);
            GenerationRequest first = request(12, WARM);
            hearing.expect(s.run(first));
            GenerationResult third = session.generate(first, GenerationListener.NONE);
            assertTrue(
                    third.draft().orElseThrow().parked().isEmpty(),
                    () -> third.draft().toString());
            assertArrayEquals(s.plain(first).ids(), third.ids());
            assertEquals(List.of(4, 6, 6, 4), hearing.truncations.subList(0, 4));
        }
    }
}
