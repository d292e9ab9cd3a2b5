package dev.tandem.backend.hip;

import dev.tandem.gpu.GpuProvider;
import dev.tandem.gpu.fake.FakeDriver;
import dev.tandem.gpu.fake.GpuModelContract;

final class RocmModelTests extends GpuModelContract {
    @Override
    protected FakeDriver driver() {
        return FakeDriver.hip();
    }

    @Override
    protected GpuProvider provider(FakeDriver over) {
        return new RocmProvider(over.serve(Hip.vendor()));
    }
}
