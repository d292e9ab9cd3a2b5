package dev.tandem.testkit.contract;

import dev.tandem.spi.Availability;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.BackendProvider;
import java.util.List;
import java.util.function.Supplier;

/** A provider around anything that makes backends. */
record SuppliedProvider(String id, Supplier<Backend> backend) implements BackendProvider {
    @Override
    public Availability probe() {
        return new Availability.Available(List.of(new DeviceInfo(id, "test", DeviceInfo.Kind.CPU, -1, -1, "test")));
    }

    @Override
    public Backend open(DeviceInfo device, OpenOptions options) {
        return backend.get();
    }
}
