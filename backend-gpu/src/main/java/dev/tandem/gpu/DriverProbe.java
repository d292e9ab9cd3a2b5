package dev.tandem.gpu;

import dev.tandem.gpu.device.KernelImage;
import dev.tandem.gpu.ffm.DeviceAttribute;
import dev.tandem.gpu.ffm.Driver;
import dev.tandem.gpu.ffm.DriverFunction;
import dev.tandem.spi.Availability;
import dev.tandem.spi.Availability.Available;
import dev.tandem.spi.Availability.Reason;
import dev.tandem.spi.Availability.Unavailable;
import dev.tandem.spi.DeviceInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Asks an opened driver for its devices, without taking memory on one. */
final class DriverProbe {
    private static final int LONGEST_NAME = 256;

    private final Driver driver;
    private final GpuVendor vendor;

    DriverProbe(Driver driver, GpuVendor vendor) {
        this.driver = driver;
        this.vendor = vendor;
    }

    Availability answer(List<KernelImage> images) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(LONGEST_NAME, 8);
            int status = driver.call(DriverFunction.INIT, 0);
            if (status != 0) {
                return noDevice(DriverFunction.INIT, status);
            }
            status = driver.call(DriverFunction.DEVICE_COUNT, out.address());
            int count = out.get(ValueLayout.JAVA_INT, 0);
            if (status != 0 || count < 1) {
                return noDevice(DriverFunction.DEVICE_COUNT, status);
            }
            if (images.isEmpty()) {
                return new Unavailable(
                        Reason.NOT_BUILT,
                        "this jar was built without kernels for "
                                + vendor.table().api(),
                        "Use a jar from a release, or build the kernels with mvn -Pkernels.",
                        Optional.empty());
            }
            String version = version(out);
            List<DeviceInfo> devices = new ArrayList<>();
            for (int ordinal = 0; ordinal < count; ordinal++) {
                devices.add(device(ordinal, version, out));
            }
            return new Available(devices);
        }
    }

    private Unavailable noDevice(DriverFunction function, int status) {
        String name = status == 0 ? "" : driver.errorName(status);
        String gave = status == 0 ? "lists none" : "gave error " + status + (name.isEmpty() ? "" : ", " + name);
        return new Unavailable(
                Reason.NO_DEVICE,
                driver.libraryName() + " is there, but no usable device: " + driver.symbol(function) + " " + gave,
                vendor.deviceRemedy(),
                Optional.empty());
    }

    private String version(MemorySegment out) {
        int status = driver.call(DriverFunction.DRIVER_VERSION, out.address());
        return status == 0 ? vendor.version().apply(out.get(ValueLayout.JAVA_INT, 0)) : "unknown version";
    }

    private DeviceInfo device(int ordinal, String version, MemorySegment out) {
        driver.call(DriverFunction.DEVICE, out.address(), ordinal);
        int device = out.get(ValueLayout.JAVA_INT, 0);
        int status = driver.call(DriverFunction.DEVICE_NAME, out.address(), LONGEST_NAME, device);
        String name = status == 0 ? out.getString(0) : vendor.table().api() + " device";
        status = driver.call(DriverFunction.DEVICE_MEMORY, out.address(), device);
        long bytes = status == 0 ? out.get(ValueLayout.JAVA_LONG, 0) : -1;
        Integer integrated = vendor.table().attributes().get(DeviceAttribute.INTEGRATED);
        boolean shares = integrated != null
                && driver.call(DriverFunction.DEVICE_ATTRIBUTE, out.address(), integrated, device) == 0
                && out.get(ValueLayout.JAVA_INT, 0) != 0;
        return new DeviceInfo(
                Integer.toString(ordinal),
                name,
                shares ? DeviceInfo.Kind.INTEGRATED : DeviceInfo.Kind.DISCRETE,
                bytes,
                -1,
                vendor.table().api() + " " + version + " (" + driver.libraryName() + ")");
    }
}
