package dev.tandem.gpu.ffm;

/** Attributes of a device. The vendors' numbers differ, and one's number may mean something else to the other. */
public enum DeviceAttribute {
    /** Blocks that run at once are a multiple of this. */
    MULTIPROCESSORS,
    /** 1 where the device shares the host's memory. */
    INTEGRATED,
    /** First part of the architecture's version. */
    CAPABILITY_MAJOR,
    /** Second part of the architecture's version. */
    CAPABILITY_MINOR
}
