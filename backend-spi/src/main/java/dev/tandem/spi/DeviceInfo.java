package dev.tandem.spi;

import java.util.List;

/**
 * One device as its driver describes it.
 *
 * @param id stable within one run, such as {@code cpu} or {@code 0}
 * @param name for people
 * @param kind used for ranking when the user has not chosen
 * @param totalBytes memory of the device, or -1 when unknown
 * @param freeBytes free memory when probed, or -1 when unknown
 * @param driver library and version in use; for the CPU the kernel set, such as {@code vector 256-bit}
 * @param notices what the user should hear once when the device is used, such as a slow path and how to leave it
 */
public record DeviceInfo(
        String id, String name, Kind kind, long totalBytes, long freeBytes, String driver, List<String> notices) {
    /** Copies the list. */
    public DeviceInfo {
        notices = List.copyOf(notices);
    }

    /**
     * A device without notices.
     *
     * @param id stable within one run
     * @param name for people
     * @param kind used for ranking
     * @param totalBytes memory, or -1
     * @param freeBytes free memory, or -1
     * @param driver library and version in use
     */
    public DeviceInfo(String id, String name, Kind kind, long totalBytes, long freeBytes, String driver) {
        this(id, name, kind, totalBytes, freeBytes, driver, List.of());
    }

    /** What sort of device this is; discrete ranks above integrated above CPU. */
    public enum Kind {
        /** The host's own cores. */
        CPU,
        /** A GPU that shares the host's memory. */
        INTEGRATED,
        /** A GPU with memory of its own. */
        DISCRETE
    }
}
