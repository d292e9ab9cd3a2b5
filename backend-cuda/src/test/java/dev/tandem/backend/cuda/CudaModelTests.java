package dev.tandem.backend.cuda;

import dev.tandem.gpu.GpuProvider;
import dev.tandem.gpu.fake.FakeDriver;
import dev.tandem.gpu.fake.GpuModelContract;

final class CudaModelTests extends GpuModelContract {
    @Override
    protected FakeDriver driver() {
        return FakeDriver.cuda();
    }

    @Override
    protected GpuProvider provider(FakeDriver over) {
        return new CudaProvider(over.serve(Cuda.vendor()));
    }
}
