package dev.tandem.backend.hip;

import dev.tandem.gpu.fake.FakeDriver;
import dev.tandem.gpu.fake.GpuModelContract;

final class RocmModelTests extends GpuModelContract {
    RocmModelTests() {
        super(FakeDriver.hip(), driver -> new RocmProvider(driver.serve(Hip.vendor())));
    }
}
