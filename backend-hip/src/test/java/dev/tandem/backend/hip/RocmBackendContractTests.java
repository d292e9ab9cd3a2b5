package dev.tandem.backend.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.gpu.fake.FakeDriver;
import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.testkit.contract.BackendContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The backend's contract on the emulator. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RocmBackendContractTests extends BackendContract {
    private final FakeDriver driver = FakeDriver.hip();

    @Override
    protected BackendProvider provider() {
        return new RocmProvider(driver.serve(Hip.vendor()));
    }

    @AfterAll
    void theDriverWasNotMisused() {
        driver.assertNoFaults();
        assertEquals(0, driver.live(), "memory left on the device");
    }
}
