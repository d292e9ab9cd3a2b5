package dev.tandem.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.testkit.oracle.OracleProvider;
import dev.tandem.testkit.wrap.WrappingBackend;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract can fail: for each rule there is a backend that breaks it, and the rule's test goes red. */
final class BrokenBackendTests {
    private static final BackendProvider SOUND =
            new SuppliedProvider("sound", () -> new WrappingBackend(OracleProvider.open()));

    static Stream<Arguments> broken() {
        return Stream.of(
                with("required_be02_whatIsAcceptedRuns", BrokenBackends::lyingSupport),
                with("required_be02_whatIsRefusedIsRefusedCleanly", BrokenBackends::silentRefusal),
                with("required_be02_whatIsRefusedIsRefusedCleanly", BrokenBackends::falseModesty),
                with("required_be03_everyOpAgreesWithTheOracle", BrokenBackends::inaccurate),
                with("required_be03_aRowDoesNotDependOnTheNumberOfRows", BrokenBackends::anotherKernelForManyRows),
                with("required_be03_piecesOfAPromptGiveTheSameRows", BrokenBackends::anotherKernelForManyRows),
                with("required_be04_aRunCommitsNothing", BrokenBackends::commitsOnRun),
                with(
                        "required_be05_everyPathLeavesWhatItsTokensWouldLeave",
                        BrokenBackends::keepsTheFirstRowsInsteadOfThePath),
                with("required_be05_programsLeaveWhatTheirTokensWouldLeave", BrokenBackends::cutsOneRowTooFew),
                with("required_be05_forksAreIndependent", BrokenBackends::forkSharesWrites),
                with("required_be06_weightsAreFoundByModelAndTensor", BrokenBackends::mixesModels),
                with("required_be07_closeIsIdempotent", BrokenBackends::throwsAtTheSecondClose),
                with("required_be08_aFailedCallLeavesCommittedRowsIntact", BrokenBackends::forgetsWhenAStepFails),
                with("required_be09_exportedBytesAreThoseOfEveryDevice", BrokenBackends::exportsItsOwnOrder),
                with("required_be09_anExportMayMoveToAnotherDeviceAndBack", BrokenBackends::exportsItsOwnOrder),
                with("required_be10_misuseOfAStateIsRefused", BrokenBackends::takesAnyPath),
                with("required_be10_onlyOutputsAskedForAreAnswered", BrokenBackends::answersEverything));
    }

    private static Arguments with(String method, Supplier<Backend> backend) {
        return arguments(method, new SuppliedProvider("broken", backend));
    }

    @ParameterizedTest
    @MethodSource("broken")
    void theTestOfABrokenRuleGoesRed(String method, BackendProvider provider) {
        Map<String, String> failures = new ContractRun(provider).failures(method);
        assertEquals(Set.of(method), failures.keySet());
        assertEquals(Map.of(), new ContractRun(SOUND).failures(method), "a sound backend");
    }

    @Test
    void aProbeThatThrowsGoesRed() {
        Map<String, String> failures = new ContractRun(BrokenBackends.throwingProbe()).failures("required_be01");
        assertTrue(failures.containsKey("required_be01_probeIsRepeatable"), failures.toString());
        assertEquals(Map.of(), new ContractRun(SOUND).failures("required_be01"), "a sound backend");
    }

    @Test
    void anotherOrderOfSumsGoesRed() {
        Set<String> orders =
                Set.of("required_be03_sumsKeepTheContractsOrder", "required_be03_attentionKeepsTheContractsOrder");
        for (String method : orders) {
            // Float64 rounds otherwise than the contract; only a backend that says so is let off.
            assertEquals(Set.of(method), new ContractRun(SOUND).failures(method).keySet());
        }
    }
}
