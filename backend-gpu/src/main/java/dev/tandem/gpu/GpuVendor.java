package dev.tandem.gpu;

import dev.tandem.gpu.ffm.DriverTable;
import java.util.List;
import java.util.function.IntFunction;

/**
 * What distinguishes one vendor's plugin from another's.
 *
 * @param id of the provider
 * @param table the driver's names
 * @param images resources with the kernels, the preferred one first
 * @param version from the number that the driver reports to its text
 * @param installRemedy what to do where the driver's library is missing or cannot be loaded
 * @param deviceRemedy what to do where the driver lists no device
 */
public record GpuVendor(
        String id,
        DriverTable table,
        List<String> images,
        IntFunction<String> version,
        String installRemedy,
        String deviceRemedy) {
    /** Copies the list. */
    public GpuVendor {
        images = List.copyOf(images);
    }
}
