package dev.tandem.backend.cuda;

import dev.tandem.gpu.fake.FakeDriver;
import dev.tandem.gpu.fake.GpuFailureContract;

final class CudaFailureTests extends GpuFailureContract {
    CudaFailureTests() {
        super(FakeDriver.cuda(), driver -> new CudaProvider(driver.serve(Cuda.vendor())));
    }
}
