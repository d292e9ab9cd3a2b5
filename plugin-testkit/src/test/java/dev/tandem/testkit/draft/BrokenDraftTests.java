package dev.tandem.testkit.draft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.testkit.draft.LyingDrafts.Lie;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract can fail: for each rule there is a strategy that breaks it, and the rule's test goes red. */
final class BrokenDraftTests {
    private static final String PROPOSALS = "dr03And04ProposalsAreTreesWithinTheRequest";

    private static DraftProvider sound() {
        return new ReplayDrafts(BelievingEngine.run(), BelievingEngine.VOCABULARY, Shape.TREE);
    }

    static Stream<Arguments> broken() {
        AtomicInteger asked = new AtomicInteger();
        int[] run = BelievingEngine.run();
        return Stream.of(
                with(
                        "dr01OutputWithTheDrafterEqualsOutputWithoutIt",
                        () -> new WrongDrafts(run, BelievingEngine.VOCABULARY, Shape.TREE),
                        "array contents differ"),
                with(
                        "dr02PlanAnswersForEveryTargetAndDoesNotThrow",
                        BrokenDrafts::throwsForASmallTarget,
                        "a target of one layer"),
                with(
                        "dr02PlanAnswersForEveryTargetAndDoesNotThrow",
                        BrokenDrafts::tapsALayerThatIsNotThere,
                        "taps lie inside the target"),
                with("dr02PlanAnswersForEveryTargetAndDoesNotThrow", BrokenDrafts::hasNoDepth, "has a depth"),
                with(
                        "dr02PlanAnswersForEveryTargetAndDoesNotThrow",
                        () -> BrokenDrafts.changesItsPlan(asked),
                        "the same question has the same answer"),
                with(PROPOSALS, BrokenDrafts::branchesInAChain, "a chain branches at node 1"),
                with(
                        "dr05AfterTruncateProposalsAreThoseOfAFreshSession",
                        () -> BrokenDrafts.remembering(false),
                        "array contents differ"),
                with("dr06CloseMayBeCalledTwice", BrokenDrafts::sessionThrowsAtTheSecondClose, "closed already"),
                with("dr06CloseMayBeCalledTwice", BrokenDrafts::modelThrowsAtTheSecondClose, "closed already"));
    }

    private static Arguments with(String test, Supplier<DraftProvider> provider, String failure) {
        return arguments(test, provider, failure);
    }

    @ParameterizedTest
    @MethodSource("broken")
    void theTestOfABrokenRuleGoesRed(String test, Supplier<DraftProvider> provider, String failure) {
        String actual = DraftContractRun.failure(test, provider).orElseThrow();
        assertTrue(actual.contains(failure), actual);
    }

    @ParameterizedTest
    @EnumSource(Lie.class)
    void everyLieGoesRed(Lie lie) {
        String actual = DraftContractRun.failure(PROPOSALS, () -> new LyingDrafts(lie, BelievingEngine.VOCABULARY))
                .orElseThrow();
        String failure = switch (lie) {
            case PARENT_AFTER_CHILD -> "node 0 has parent 1";
            case OWN_PARENT -> "node 0 has parent 0";
            case PARENT_BELOW_ROOT -> "node 0 has parent -2";
            case EQUAL_SIBLINGS -> "node 1 repeats a sibling";
            case TOKEN_TOO_LARGE -> "token " + BelievingEngine.VOCABULARY;
            case TOKEN_NEGATIVE -> "token -1";
            case TOO_DEEP -> "depth ";
            case TOO_MANY -> " nodes of ProposeRequest";
            case FEW_PARENTS -> "number of parents";
            case FEW_LOG_PROBS -> "1 log-probabilities";
            case LOG_PROB_NOT_A_NUMBER -> "not a number";
            case NULL_ARRAY, NULL_PROPOSAL -> "NullPointerException";
        };
        assertTrue(actual.contains(failure), actual);
    }

    @Test
    void soundStrategiesPassEveryTest() {
        for (String test : DraftContractRun.tests()) {
            assertEquals(Optional.empty(), DraftContractRun.failure(test, BrokenDraftTests::sound), test);
        }
        assertEquals(
                Optional.empty(),
                DraftContractRun.failure(
                        "dr05AfterTruncateProposalsAreThoseOfAFreshSession", () -> BrokenDrafts.remembering(true)));
    }

    @Test
    void everyTestOfTheContractHasAStrategyThatItCatches() {
        Set<String> caught = new TreeSet<>();
        broken().forEach(arguments -> caught.add((String) arguments.get()[0]));
        assertEquals(DraftContractRun.tests(), caught);
    }
}
