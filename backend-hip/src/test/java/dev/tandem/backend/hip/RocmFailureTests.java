package dev.tandem.backend.hip;

import dev.tandem.gpu.fake.FakeDriver;
import dev.tandem.gpu.fake.GpuFailureContract;

final class RocmFailureTests extends GpuFailureContract {
    RocmFailureTests() {
        super(FakeDriver.hip(), driver -> new RocmProvider(driver.serve(Hip.vendor())));
    }
}
