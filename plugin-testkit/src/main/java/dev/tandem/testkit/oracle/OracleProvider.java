package dev.tandem.testkit.oracle;

import dev.tandem.spi.Availability;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.BackendProvider;
import java.util.List;

/** Offers the oracle as a plugin does; always available. */
public final class OracleProvider implements BackendProvider {
    private static final DeviceInfo DEVICE =
            new DeviceInfo("oracle", "float64 oracle", DeviceInfo.Kind.CPU, -1, -1, "float64");

    /** Does nothing, as the contract asks. */
    public OracleProvider() {}

    /**
     * Opens an oracle.
     *
     * @return a backend of its own
     */
    public static Backend open() {
        return new OracleBackend(DEVICE);
    }

    @Override
    public String id() {
        return "oracle";
    }

    @Override
    public Availability probe() {
        return new Availability.Available(List.of(DEVICE));
    }

    @Override
    public Backend open(DeviceInfo device, OpenOptions options) {
        return new OracleBackend(device);
    }
}
