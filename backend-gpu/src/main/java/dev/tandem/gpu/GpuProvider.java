package dev.tandem.gpu;

import dev.tandem.gpu.device.Device;
import dev.tandem.gpu.device.KernelImage;
import dev.tandem.gpu.ffm.Driver;
import dev.tandem.gpu.ffm.DriverFunction;
import dev.tandem.spi.Availability;
import dev.tandem.spi.Availability.Reason;
import dev.tandem.spi.Availability.Unavailable;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.BackendProvider;
import java.util.List;
import java.util.Optional;

/** Finds and opens the devices of one vendor; a plugin's provider extends it and adds nothing but the vendor. */
public abstract class GpuProvider implements BackendProvider {
    private final GpuVendor vendor;

    /**
     * Does no work, as the contract asks.
     *
     * @param vendor whose devices
     */
    protected GpuProvider(GpuVendor vendor) {
        this.vendor = vendor;
    }

    @Override
    public final String id() {
        return vendor.id();
    }

    @Override
    public final Availability probe() {
        try {
            return switch (Driver.open(vendor.table())) {
                case Driver.Attempt.Opened opened -> new DriverProbe(opened.driver(), vendor).answer(images());
                case Driver.Attempt.Failed failed -> missing(failed);
            };
        } catch (IllegalCallerException e) {
            return new Unavailable(
                    Reason.NATIVE_ACCESS_DENIED,
                    "Java denies native access: " + e.getMessage(),
                    "Start java with --enable-native-access=ALL-UNNAMED.",
                    Optional.of(e));
        } catch (Driver.MissingSymbolException e) {
            return new Unavailable(
                    Reason.DRIVER_TOO_OLD, String.valueOf(e.getMessage()), vendor.installRemedy(), Optional.of(e));
        }
    }

    private Unavailable missing(Driver.Attempt.Failed failed) {
        Reason reason = failed.found() ? Reason.LIBRARY_UNLOADABLE : Reason.LIBRARY_MISSING;
        return new Unavailable(reason, failed.detail(), vendor.installRemedy(), Optional.empty());
    }

    private List<KernelImage> images() {
        return KernelImage.beside(getClass(), vendor.images());
    }

    @Override
    public final Backend open(DeviceInfo device, OpenOptions options) {
        if (!(Driver.open(vendor.table()) instanceof Driver.Attempt.Opened opened)) {
            throw new DeviceException(
                    ErrorCode.DEVICE_LOST, vendor.table().api() + ": the driver is not there any more", true, null);
        }
        Driver driver = opened.driver();
        driver.call(DriverFunction.INIT, 0);
        return new GpuBackend(device, new Device(driver, Integer.parseInt(device.id()), device.name(), images()));
    }
}
