package dev.tandem.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.tandem.spi.Availability;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.spi.backend.BackendProvider.OpenOptions;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The rules BE-01 to BE-10 as tests; a backend extends this class and implements {@link #provider()}.
 *
 * <p>Where the probe finds no device, tests are skipped with its reason; with the system property {@value #REQUIRE} set
 * to the provider's id they fail. What a backend refuses by {@code supports} is tested for a clean refusal.
 */
public abstract class BackendContract {
    /** System property that names a backend whose device must be there. */
    public static final String REQUIRE = "tandem.require.backend";

    private @Nullable Backend backend;

    /** For the subclass. */
    protected BackendContract() {}

    /**
     * The plugin under test.
     *
     * @return a new provider
     */
    protected abstract BackendProvider provider();

    /**
     * Whether finite results are those of the numeric contract as bits, in every batch. A backend that gives this up is
     * held to the tolerances of the ops instead.
     *
     * @return true unless overridden
     */
    protected boolean keepsContractBits() {
        return true;
    }

    private Backend open() {
        BackendProvider provider = provider();
        return switch (provider.probe()) {
            case Availability.Available available ->
                provider.open(available.devices().getFirst(), OpenOptions.DEFAULT);
            case Availability.Unavailable unavailable -> {
                String reason = provider.id() + ": " + unavailable.reason() + ", " + unavailable.detail();
                if (provider.id().equals(System.getProperty(REQUIRE))) {
                    fail(reason);
                }
                Assumptions.abort(reason);
                throw new IllegalStateException(reason);
            }
        };
    }

    /** Opens the device. */
    @BeforeEach
    public final void openBackend() {
        backend = open();
    }

    /** Closes the device. */
    @AfterEach
    public final void closeBackend() {
        if (backend != null) {
            backend.close();
        }
    }

    private Backend backend() {
        return Objects.requireNonNull(backend, "openBackend was not called");
    }

    private OpChecks ops() {
        return new OpChecks(backend(), keepsContractBits());
    }

    private StateChecks states() {
        return new StateChecks(backend(), keepsContractBits());
    }

    private MisuseChecks misuse() {
        return new MisuseChecks(backend());
    }

    /** The probe can be repeated and gives the same devices. */
    @Test
    public void required_be01_probeIsRepeatable() {
        BackendProvider provider = provider();
        List<String> first = deviceIds(provider);
        assertEquals(first, deviceIds(provider), "devices of the second probe");
        assertEquals(first, deviceIds(provider()), "devices of another provider's probe");
    }

    private static List<String> deviceIds(BackendProvider provider) {
        return switch (provider.probe()) {
            case Availability.Available available ->
                available.devices().stream().map(DeviceInfo::id).toList();
            case Availability.Unavailable unavailable -> {
                assertFalse(unavailable.detail().isBlank(), "absent without saying why");
                assertFalse(unavailable.remedy().isBlank(), "absent without a remedy");
                yield List.of();
            }
        };
    }

    /** The id can be typed. */
    @Test
    public void required_be01_idCanBeTyped() {
        String id = provider().id();
        assertTrue(id.matches("[a-z][a-z0-9-]*"), "id " + id);
    }

    /** Support does not depend on what happened before. */
    @Test
    public void required_be02_supportDoesNotChange() {
        ops().answersDoNotChange();
    }

    /** What is accepted compiles and runs. */
    @Test
    public void required_be02_whatIsAcceptedRuns() {
        ops().whatIsAcceptedRuns();
    }

    /** What is refused has a reason and does not run. */
    @Test
    public void required_be02_whatIsRefusedIsRefusedCleanly() {
        ops().whatIsRefusedIsRefusedCleanly();
    }

    /** Every op agrees with float64, in both precisions, at awkward sizes and for every type of weight. */
    @Test
    public void required_be03_everyOpAgreesWithTheOracle() {
        ops().agreesWithTheOracle();
    }

    /** Sums of matrices have the order of N2, as bits. */
    @Test
    public void required_be03_sumsKeepTheContractsOrder() {
        new BitChecks(backend(), keepsContractBits()).sumsKeepTheContractsOrder();
    }

    /** Attention has the order of N5, as bits, over several chunks. */
    @Test
    public void required_be03_attentionKeepsTheContractsOrder() {
        new BitChecks(backend(), keepsContractBits()).attentionKeepsTheContractsOrder();
    }

    /** A row has the same bits in steps of 1, 2, 7, 33, 64 and 65 rows. */
    @Test
    public void required_be03_aRowDoesNotDependOnTheNumberOfRows() {
        ops().rowsDoNotDependOnTheirNumber();
    }

    /** A row has the same bits beside another sequence as without it. */
    @Test
    public void required_be03_aRowDoesNotDependOnOtherSequences() {
        ops().rowsDoNotDependOnOtherSequences();
    }

    /** Which rows are selected does not change their bits. */
    @Test
    public void required_be03_aRowDoesNotDependOnTheSelection() {
        ops().rowsDoNotDependOnTheSelection();
    }

    /** The pieces of a prompt do not change a bit. */
    @Test
    public void required_be03_piecesOfAPromptGiveTheSameRows() {
        states().piecesOfAPromptGiveTheSameRows();
    }

    /** A row of a tree has the bits of its path decoded alone. */
    @Test
    public void required_be03_aRowOfATreeIsThatOfItsPathAlone() {
        states().aRowOfATreeIsThatOfItsPathAlone();
    }

    /** A run commits nothing, can be repeated, and a rollback leaves no trace. */
    @Test
    public void required_be04_aRunCommitsNothing() {
        states().aRunCommitsNothing();
    }

    /** Any path of a tree can be kept. */
    @Test
    public void required_be05_everyPathLeavesWhatItsTokensWouldLeave() {
        states().everyPathLeavesWhatItsTokensWouldLeave();
    }

    /** Seeded programs of all calls leave what their tokens would leave. */
    @Test
    public void required_be05_programsLeaveWhatTheirTokensWouldLeave() {
        states().programsLeaveWhatTheirTokensWouldLeave();
    }

    /** A fork and its origin do not see each other's writes. */
    @Test
    public void required_be05_forksAreIndependent() {
        states().forksAreIndependent();
    }

    /** Weights are found by model and tensor, in either order of loading, and after one model was closed. */
    @Test
    public void required_be06_weightsAreFoundByModelAndTensor() {
        new WeightChecks(backend()).weightsAreFoundByModelAndTensor();
    }

    /** Everything can be closed twice and in any order. */
    @Test
    public void required_be07_closeIsIdempotent() {
        new CloseChecks(this::open).closeMayBeCalledTwiceInAnyOrder();
    }

    /** Calls that fail leave committed rows alone. */
    @Test
    public void required_be08_aFailedCallLeavesCommittedRowsIntact() {
        misuse().aFailedCallLeavesCommittedRowsIntact();
    }

    /** The exported form is that of every device. */
    @Test
    public void required_be09_exportedBytesAreThoseOfEveryDevice() {
        states().exportedBytesAreThoseOfEveryDevice();
    }

    /** A sequence may move to another device and back. */
    @Test
    public void required_be09_anExportMayMoveToAnotherDeviceAndBack() {
        states().anExportMayMoveToAnotherDeviceAndBack();
    }

    /** Misuse of a state throws what the javadoc names. */
    @Test
    public void required_be10_misuseOfAStateIsRefused() {
        misuse().misuseOfAStateIsRefused();
    }

    /** A step answers the outputs that its batch names, and no other. */
    @Test
    public void required_be10_onlyOutputsAskedForAreAnswered() {
        misuse().onlyOutputsAskedForAreAnswered();
    }
}
