package dev.tandem.runtime.speculative;

import static dev.tandem.runtime.speculative.Speculating.OPTIONS;
import static dev.tandem.runtime.speculative.Speculating.PROMPT;
import static dev.tandem.runtime.speculative.Speculating.WARM;
import static dev.tandem.runtime.speculative.Speculating.request;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.SavedText;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.testkit.draft.ReplayDrafts;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Saving with a strategy or without, and going on with one or without, gives the tokens of an uninterrupted run. */
final class SavedStateTests {
    private static final int CUT = 13;

    private final Speculating s = new Speculating("qwen3");
    private final int[] run = s.run(request(40, WARM));

    @TempDir
    Path folder;

    @AfterEach
    void close() {
        s.close();
    }

    private static GenerationRequest rest(SavedText text) {
        return new GenerationRequest(text.tokens(), 40 - CUT, WARM, List.of(), true, true, () -> false)
                .after(text.chosen());
    }

    private void assertRest(GenerationResult result) {
        assertArrayEquals(Arrays.copyOfRange(run, PROMPT.length + CUT, run.length), result.ids());
    }

    private Path saved(DraftProvider provider) {
        Path file = folder.resolve("x.state");
        try (LoadedDraft draft = s.open(provider);
                Session session = s.model.newSession(draft, OPTIONS)) {
            session.generate(request(CUT, WARM), GenerationListener.NONE);
            session.save(file);
        }
        return file;
    }

    @Test
    void aStrategyWithoutTapsHearsTheTokensAndGuessesOn() {
        ReplayDrafts replay = new ReplayDrafts(run, s.vocabulary(), Shape.CHAIN, 0, 1);
        Path file = saved(replay);
        try (LoadedDraft draft = s.open(replay);
                Session session = s.model.newSession(draft, OPTIONS)) {
            SavedText text = session.load(file);
            assertEquals(PROMPT.length + CUT - 1, text.ready());
            GenerationResult result = session.generate(rest(text), GenerationListener.NONE);
            assertRest(result);
            assertTrue(result.draft().orElseThrow().accepted() > 10, "it replays, so it was told where the text is");
        }
        try (Session session = s.model.newSession()) {
            assertRest(session.generate(rest(session.load(file)), GenerationListener.NONE));
        }
    }

    @Test
    void aStrategyWithTapsHearsTheHiddenStatesOfAllTokens() {
        Path file = saved(new ReplayDrafts(run, s.vocabulary(), Shape.TREE, 0.3, 7));
        TappingDrafts tapping = new TappingDrafts(run, s.vocabulary(), s.model.draftQuery(List.of()));
        try (LoadedDraft draft = s.open(tapping);
                Session session = s.model.newSession(draft, OPTIONS)) {
            SavedText text = session.load(file);
            assertEquals(0, text.ready());
            assertRest(session.generate(rest(text), GenerationListener.NONE));
        }
        assertEquals(run.length - 1, tapping.heard.size());
        assertTrue(IntStream.range(0, run.length - 1).allMatch(i -> tapping.heard.get(i).length == 5));
    }
}
