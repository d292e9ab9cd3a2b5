package dev.tandem.backend.hip;

import dev.tandem.gpu.GpuProvider;
import dev.tandem.gpu.GpuVendor;

/** AMD's devices. */
public final class RocmProvider extends GpuProvider {
    /** Looks for the driver where it is usually installed. */
    public RocmProvider() {
        super(Hip.vendor());
    }

    /** Takes the driver from another place; for tests. */
    RocmProvider(GpuVendor vendor) {
        super(vendor);
    }
}
