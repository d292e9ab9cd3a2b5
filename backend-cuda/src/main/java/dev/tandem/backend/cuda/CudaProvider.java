package dev.tandem.backend.cuda;

import dev.tandem.gpu.GpuProvider;
import dev.tandem.gpu.GpuVendor;

/** NVIDIA's devices. */
public final class CudaProvider extends GpuProvider {
    /** Looks for the driver where it is usually installed. */
    public CudaProvider() {
        super(Cuda.vendor());
    }

    /** Takes the driver from another place; for tests. */
    CudaProvider(GpuVendor vendor) {
        super(vendor);
    }
}
