package dev.tandem.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.testkit.oracle.OracleProvider;
import dev.tandem.testkit.wrap.WrappingBackend;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract can fail: for each rule there is a backend that breaks it, and the rule's test goes red. */
final class BrokenBackendTests {
    private static final BackendProvider SOUND = new SuppliedProvider("sound", BrokenBackendTests::soundBackend);
    /** Float64 rounds otherwise than the contract; only a backend that says so is let off. */
    private static final Set<String> ORDERS =
            Set.of("required_be03_sumsKeepTheContractsOrder", "required_be03_attentionKeepsTheContractsOrder");

    private static Backend soundBackend() {
        return new WrappingBackend(OracleProvider.open());
    }

    static Stream<Arguments> broken() {
        return Stream.of(
                arguments("required_be01_probeIsRepeatable", BrokenBackends.throwingProbe()),
                arguments(
                        "required_be01_idCanBeTyped",
                        new SuppliedProvider("My Device", BrokenBackendTests::soundBackend)),
                with("required_be02_supportDoesNotChange", BrokenBackends::changesItsMind),
                with("required_be02_whatIsAcceptedRuns", BrokenBackends::lyingSupport),
                with("required_be02_whatIsRefusedIsRefusedCleanly", BrokenBackends::silentRefusal),
                with("required_be02_whatIsRefusedIsRefusedCleanly", BrokenBackends::falseModesty),
                with("required_be03_everyOpAgreesWithTheOracle", BrokenBackends::inaccurate),
                with("required_be03_aRowDoesNotDependOnTheNumberOfRows", BrokenBackends::anotherKernelForManyRows),
                with("required_be03_aRowDoesNotDependOnOtherSequences", BrokenBackends::anotherKernelForManySequences),
                with("required_be03_aRowDoesNotDependOnTheSelection", BrokenBackends::anotherKernelForFewSelected),
                with("required_be03_piecesOfAPromptGiveTheSameRows", BrokenBackends::anotherKernelForManyRows),
                with("required_be03_aRowOfATreeIsThatOfItsPathAlone", BrokenStates::takesATreeForAChain),
                with("required_be04_aRunCommitsNothing", BrokenBackends::commitsOnRun),
                with(
                        "required_be05_everyPathLeavesWhatItsTokensWouldLeave",
                        BrokenStates::keepsTheFirstRowsInsteadOfThePath),
                with("required_be05_programsLeaveWhatTheirTokensWouldLeave", BrokenStates::cutsOneRowTooFew),
                with("required_be05_forksAreIndependent", BrokenStates::forkSharesWrites),
                with("required_be06_weightsAreFoundByModelAndTensor", BrokenBackends::mixesModels),
                with("required_be07_closeIsIdempotent", BrokenBackends::throwsAtTheSecondClose),
                with("required_be08_aFailedCallLeavesCommittedRowsIntact", BrokenStates::forgetsWhenAStepFails),
                with("required_be09_exportedBytesAreThoseOfEveryDevice", BrokenStates::exportsItsOwnOrder),
                with("required_be09_anExportMayMoveToAnotherDeviceAndBack", BrokenStates::exportsItsOwnOrder),
                with("required_be10_misuseOfAStateIsRefused", BrokenStates::takesAnyPath),
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
    void anotherOrderOfSumsGoesRed() {
        for (String method : ORDERS) {
            assertEquals(Set.of(method), new ContractRun(SOUND).failures(method).keySet());
        }
    }

    @Test
    void everyTestOfTheContractHasABackendThatItCatches() {
        Set<String> caught = new TreeSet<>(ORDERS);
        broken().forEach(arguments -> caught.add((String) arguments.get()[0]));
        assertEquals(ContractRun.tests(), caught);
    }
}
