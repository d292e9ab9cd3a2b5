package dev.tandem.backend.cuda;

import dev.tandem.gpu.fake.FakeDriver;
import dev.tandem.gpu.fake.GpuModelContract;

final class CudaModelTests extends GpuModelContract {
    CudaModelTests() {
        super(FakeDriver.cuda(), driver -> new CudaProvider(driver.serve(Cuda.vendor())));
    }
}
