package dev.tandem.runtime.speculative;

import static dev.tandem.runtime.speculative.Speculating.OPTIONS;
import static dev.tandem.runtime.speculative.Speculating.PROMPT;
import static dev.tandem.runtime.speculative.Speculating.WARM;
import static dev.tandem.runtime.speculative.Speculating.request;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.Session;
import dev.tandem.runtime.decode.DraftStatistics;
import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.decode.StopReason;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.PluginException;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.testkit.draft.Call;
import dev.tandem.testkit.draft.HangingDrafts;
import dev.tandem.testkit.draft.LyingDrafts;
import dev.tandem.testkit.draft.LyingDrafts.Lie;
import dev.tandem.testkit.draft.ReplayDrafts;
import dev.tandem.testkit.draft.ThrowingDrafts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A strategy that breaks is named and parked, and the tokens are those of plain decoding. */
final class FaultyDrafterTests {
    private static final DraftOptions IMPATIENT = new DraftOptions(5, 12, Shape.TREE, false, Duration.ofMillis(150));

    private final Speculating s = new Speculating("qwen3");

    @AfterEach
    void close() {
        s.close();
    }

    @ParameterizedTest
    @EnumSource(Lie.class)
    void aLiarIsParkedAtItsFirstLie(Lie lie) {
        LyingDrafts liar = new LyingDrafts(lie, s.vocabulary());
        DraftStatistics did = s.same(liar, OPTIONS, request(20, WARM), lie.name());
        String reason = did.parked().orElseThrow();
        String part = switch (lie) {
            case PARENT_AFTER_CHILD -> "node 0 has parent 1, which is no earlier node";
            case OWN_PARENT -> "node 0 has parent 0, which is no earlier node";
            case PARENT_BELOW_ROOT -> "node 0 has parent -2";
            case EQUAL_SIBLINGS -> "node 1 repeats token 7 of a sibling";
            case TOKEN_TOO_LARGE -> "node 1 is token " + s.vocabulary();
            case TOKEN_NEGATIVE -> "node 1 is token -1";
            case TOO_DEEP -> "node 5 has depth 6 of at most 5";
            case TOO_MANY -> "13 nodes of at most 12";
            case FEW_PARENTS -> "2 tokens, but 1 parents";
            case FEW_LOG_PROBS -> "2 tokens, but 1 log-probabilities";
            case LOG_PROB_NOT_A_NUMBER -> "a log-probability is not a number";
            case NULL_ARRAY -> "an array is null";
            case NULL_PROPOSAL -> "no proposal";
        };
        assertTrue(reason.startsWith("propose ") && reason.contains(part), lie + ": " + reason);
        assertEquals(0, did.rounds());
        assertEquals(19, did.passes());
    }

    @ParameterizedTest
    @EnumSource(
            value = Call.class,
            names = {"NEW_SESSION", "PROPOSE", "ON_COMMITTED", "ON_VERIFIED"})
    void oneThatThrowsIsParkedAndNotCalledAgain(Call where) {
        int harmless = where == Call.NEW_SESSION ? 0 : 3;
        ThrowingDrafts throwing = new ThrowingDrafts(where, harmless);
        List<String> notices = new ArrayList<>();
        GenerationListener listener = new GenerationListener() {
            @Override
            public void onNotice(String notice) {
                notices.add(notice);
            }
        };
        GenerationResult result = s.drafted(throwing, OPTIONS, request(30, WARM), listener);
        assertArrayEquals(s.plain(request(30, WARM)).ids(), result.ids());
        String reason = result.draft().orElseThrow().parked().orElseThrow();
        assertTrue(reason.contains(ThrowingDrafts.MESSAGE), reason);
        assertTrue(reason.startsWith(javaName(where) + " threw java.lang.IllegalStateException"), reason);
        assertEquals(1, notices.size(), "said once: " + notices);
        assertTrue(notices.getFirst().contains("throwing") && notices.getFirst().contains(reason));
        assertEquals(harmless + 1, throwing.calls());
        assertEquals(where == Call.NEW_SESSION ? 0 : 1, throwing.closed(), "what was opened is closed");
    }

    private static String javaName(Call call) {
        return switch (call) {
            case NEW_SESSION -> "newSession";
            case PROPOSE -> "propose";
            case ON_COMMITTED -> "onCommitted";
            case ON_VERIFIED -> "onVerified";
            case TRUNCATE -> "truncate";
            case CLOSE -> "close";
            case PLAN -> "plan";
            case OPEN -> "open";
        };
    }

    @Test
    void oneThatThrowsWhenTruncatedIsParkedInTheNextGeneration() {
        try (LoadedDraft draft = s.open(new ThrowingDrafts(Call.TRUNCATE, 0));
                Session session = s.model.newSession(draft, OPTIONS)) {
            GenerationResult first = session.generate(request(10, WARM), GenerationListener.NONE);
            assertTrue(first.draft().orElseThrow().parked().isEmpty());
            GenerationResult second = session.generate(request(10, WARM), GenerationListener.NONE);
            assertArrayEquals(first.ids(), second.ids());
            String reason = second.draft().orElseThrow().parked().orElseThrow();
            assertTrue(reason.startsWith("truncate threw"), reason);
        }
    }

    @Test
    void oneThatThrowsWhenClosedDoesNoHarm() {
        ThrowingDrafts throwing = new ThrowingDrafts(Call.CLOSE, 0);
        s.same(throwing, OPTIONS, request(10, WARM), "close");
        assertEquals(1, throwing.closed());
    }

    @ParameterizedTest
    @EnumSource(
            value = Call.class,
            names = {"NEW_SESSION", "PROPOSE", "ON_COMMITTED", "ON_VERIFIED"})
    void oneThatHangsIsAbandonedAndTheGenerationGoesOn(Call where) {
        HangingDrafts hanging = new HangingDrafts(where, where == Call.NEW_SESSION ? 0 : 2);
        try {
            DraftStatistics did = s.same(hanging, IMPATIENT, request(20, WARM), where.name());
            String reason = did.parked().orElseThrow();
            assertEquals(javaName(where) + " did not return within 150 ms", reason);
            assertEquals(0, hanging.closed(), "the session is still in use by the hanging call");
            assertTrue(
                    Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> thread.getName().equals("draft-hanging"))
                            .allMatch(Thread::isDaemon),
                    "an abandoned thread must not hold the process");
        } finally {
            hanging.release();
        }
        if (where != Call.NEW_SESSION) {
            awaitClosed(hanging);
        }
    }

    @Test
    void aFaultAfterTheLastTokenIsReportedToo() {
        HangingDrafts counting = new HangingDrafts(Call.ON_COMMITTED, Integer.MAX_VALUE);
        s.same(counting, OPTIONS, request(8, WARM), "counting");
        HangingDrafts hanging = new HangingDrafts(Call.ON_COMMITTED, counting.calls() - 1);
        try {
            DraftStatistics did = s.same(hanging, IMPATIENT, request(8, WARM), "the last call");
            assertEquals(
                    "onCommitted did not return within 150 ms", did.parked().orElseThrow());
        } finally {
            hanging.release();
        }
    }

    /** The abandoned thread closes the session when the call returns after all. */
    private static void awaitClosed(HangingDrafts hanging) {
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (hanging.closed() == 0 && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertEquals(1, hanging.closed());
    }

    @Test
    void oneThatHangsWhenClosedIsLeftBehind() {
        HangingDrafts hanging = new HangingDrafts(Call.CLOSE, 0);
        try {
            s.same(hanging, IMPATIENT, request(10, WARM), "close");
            assertEquals(1, hanging.closed());
        } finally {
            hanging.release();
        }
    }

    @Test
    void cancellingDoesNotWaitForADrafterThatHangs() {
        HangingDrafts hanging = new HangingDrafts(Call.PROPOSE, 1);
        AtomicInteger chosen = new AtomicInteger();
        GenerationRequest request =
                new GenerationRequest(PROMPT, 50, WARM, List.of(), true, true, () -> hanging.calls() > 1);
        try {
            GenerationResult result = s.drafted(hanging, OPTIONS, request, new GenerationListener() {
                @Override
                public void onToken(int id) {
                    chosen.incrementAndGet();
                }
            });
            assertEquals(StopReason.CANCELLED, result.stopReason());
            assertTrue(result.ids().length > 0 && result.ids().length < 50);
            assertEquals(chosen.get(), result.ids().length);
            hanging.release();
        } finally {
            hanging.release();
        }
    }

    @Test
    void aParkedDrafterStaysParkedInTheSession() {
        ThrowingDrafts throwing = new ThrowingDrafts(Call.PROPOSE, 0);
        try (LoadedDraft draft = s.open(throwing);
                Session session = s.model.newSession(draft, OPTIONS)) {
            session.generate(request(5, WARM), GenerationListener.NONE);
            DraftStatistics second = session.generate(request(9, WARM), GenerationListener.NONE)
                    .draft()
                    .orElseThrow();
            assertTrue(second.parked().isPresent());
            assertEquals(1, throwing.calls());
            assertEquals(8, second.passes());
        }
    }

    @Test
    void aStrategyThatFailsToOpenIsNamed() {
        PluginException failed = assertThrows(PluginException.class, () -> s.open(new ThrowingDrafts(Call.OPEN, 0)));
        assertEquals(ErrorCode.PLUGIN_FAULT, failed.code());
        assertTrue(failed.getMessage().contains("throwing"), failed.getMessage());
        assertTrue(failed.getMessage().contains("open threw"), failed.getMessage());
        assertTrue(failed.getMessage().contains(ThrowingDrafts.MESSAGE), failed.getMessage());
    }

    @Test
    void aListenerThatThrowsInTheMiddleOfAPathLeavesTheSessionUsable() {
        int[] run = s.run(request(40, WARM));
        GenerationListener broken = new GenerationListener() {
            private int left = 3;

            @Override
            public void onToken(int id) {
                if (--left == 0) {
                    throw new IllegalStateException("closed pipe");
                }
            }
        };
        try (LoadedDraft draft = s.open(new ReplayDrafts(run, s.vocabulary(), Shape.CHAIN));
                Session session = s.model.newSession(draft, OPTIONS)) {
            IllegalStateException thrown =
                    assertThrows(IllegalStateException.class, () -> session.generate(request(20, WARM), broken));
            assertEquals("closed pipe", thrown.getMessage());
            GenerationResult again = session.generate(request(20, WARM), GenerationListener.NONE);
            assertArrayEquals(s.plain(request(20, WARM)).ids(), again.ids());
            assertTrue(again.draft().orElseThrow().accepted() > 10);
        }
    }
}
