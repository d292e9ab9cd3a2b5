package dev.tandem.runtime.speculative;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.InferenceException;
import dev.tandem.spi.PluginException;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftPlan.Cost;
import dev.tandem.spi.draft.DraftPlan.Cost.Growth;
import dev.tandem.spi.draft.DraftPlan.HiddenTap;
import dev.tandem.spi.draft.DraftPlan.HiddenTap.Stage;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.draft.ProposeRequest;
import dev.tandem.testkit.MemoryModel;
import dev.tandem.testkit.draft.Call;
import dev.tandem.testkit.draft.HangingDrafts;
import dev.tandem.testkit.draft.RandomDrafts;
import dev.tandem.testkit.draft.TestDrafts;
import dev.tandem.testkit.draft.ThrowingDrafts;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Plans are asked for and checked before anything is opened. */
final class DraftSelectorTests {
    private static final DraftQuery QUERY = new DraftQuery(
            new MemoryModel("target.gguf"),
            List.of(),
            new DraftQuery.TargetShape(4, 64, 100, false),
            new DraftQuery.Limits(15, 0, 128, -1));

    /** Answers a plan of the test's choice. */
    private static final class Planned extends TestDrafts {
        private final DraftPlan plan;

        Planned(DraftPlan plan) {
            super("planned", Shape.CHAIN, 1);
            this.plan = plan;
        }

        @Override
        public DraftPlan plan(DraftQuery query) {
            return plan;
        }

        @Override
        protected DraftProposal guess(ProposeRequest request) {
            return DraftProposal.NONE;
        }
    }

    private static DraftPlan.Fits plan(int depth, HiddenTap... taps) {
        Cost cost = new Cost(0, 0, Growth.FREE);
        return new DraftPlan.Fits("planned", List.of(taps), false, false, Shape.CHAIN, depth, cost, List.of());
    }

    private static <E extends InferenceException> E refused(Class<E> type, DraftPlan plan) {
        DraftSelector selector = new DraftSelector(Speculating.installed(new Planned(plan)), Duration.ofMinutes(10));
        E refused = assertThrows(type, () -> selector.select("planned", QUERY));
        assertTrue(refused.getMessage().contains("planned"), refused.getMessage());
        assertTrue(refused.getMessage().contains("target.gguf"), refused.getMessage());
        return refused;
    }

    @Test
    void aPlanThatContradictsTheTargetIsThePluginsFault() {
        String deep = refused(PluginException.class, plan(0)).getMessage();
        assertTrue(deep.contains("depth 0") && deep.contains("at least 1"), deep);
        for (int layer : new int[] {-1, 4}) {
            DraftPlan.Fits plan = plan(3, new HiddenTap(layer, Stage.LAYER_OUTPUT));
            String beyond = refused(PluginException.class, plan).getMessage();
            assertTrue(beyond.contains("layer " + layer) && beyond.contains("0 to 3"), beyond);
        }
    }

    @Test
    void anUnfitStrategySaysWhyInItsOwnWords() {
        UsageException unfit =
                refused(UsageException.class, new DraftPlan.Unsupported("64 is not 32", "Take another."));
        assertTrue(unfit.getMessage().endsWith("64 is not 32"), unfit.getMessage());
        assertEquals("Take another.", unfit.remedy());
    }

    @Test
    void oneStrategyThatFailsDoesNotStopTheOthers() {
        HangingDrafts hanging = new HangingDrafts(Call.PLAN, 0);
        DraftSelector selector = new DraftSelector(
                Speculating.installed(hanging, new ThrowingDrafts(Call.PLAN, 0), new RandomDrafts(1, 100, Shape.TREE)),
                Duration.ofMillis(150));
        try {
            List<DraftOffer> offers = selector.offers(QUERY);
            assertEquals(
                    List.of("hanging", "random", "throwing"),
                    offers.stream().map(DraftOffer::id).toList());
            DraftOffer.Unfit slow = assertInstanceOf(DraftOffer.Unfit.class, offers.get(0));
            assertTrue(slow.faulty() && slow.reason().equals("plan did not return within 150 ms"), slow.reason());
            DraftChoice fits = assertInstanceOf(DraftChoice.class, offers.get(1));
            assertEquals(Shape.TREE, fits.plan().shape());
            DraftOffer.Unfit broken = assertInstanceOf(DraftOffer.Unfit.class, offers.get(2));
            assertTrue(broken.faulty() && broken.reason().contains(ThrowingDrafts.MESSAGE), broken.reason());
        } finally {
            hanging.release();
        }
    }

    @Test
    void anUnknownStrategyIsAnsweredWithTheKnownOnes() {
        DraftSelector selector =
                new DraftSelector(Speculating.installed(new RandomDrafts(1, 100, Shape.TREE)), Duration.ofMinutes(10));
        UsageException unknown = assertThrows(UsageException.class, () -> selector.select("dflsh", QUERY));
        assertEquals(ErrorCode.BAD_ARGUMENT, unknown.code());
        assertTrue(unknown.getMessage().contains("dflsh") && unknown.remedy().contains("random"));
        DraftSelector empty = new DraftSelector(Speculating.installed(), Duration.ofMinutes(10));
        assertTrue(assertThrows(UsageException.class, () -> empty.select("ngram", QUERY))
                .remedy()
                .contains("plugins"));
    }
}
