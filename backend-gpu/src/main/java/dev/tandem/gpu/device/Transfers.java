package dev.tandem.gpu.device;

import java.lang.foreign.MemorySegment;

/**
 * Copies between any host memory and the device through pinned memory, in pieces. Uploads return before the device has
 * the bytes, yet the source may change at once; downloads return when the bytes are there.
 */
public final class Transfers implements AutoCloseable {
    private static final long PIECE_BYTES = 4L << 20;

    private final Device device;
    private final PinnedBuffer staging;
    /** Where free staging memory begins: what lies before may still be read by queued copies. */
    private long used;

    /**
     * Takes the staging memory.
     *
     * @param device of the copies
     * @throws dev.tandem.spi.DeviceException where there is no room
     */
    public Transfers(Device device) {
        this.device = device;
        this.staging = device.allocatePinned(2 * PIECE_BYTES, "staging of copies");
    }

    /**
     * Copies to the device, after everything queued before.
     *
     * @param target address on the device
     * @param source any host memory
     */
    public void upload(long target, MemorySegment source) {
        long bytes = source.byteSize();
        for (long at = 0; at < bytes; at += PIECE_BYTES) {
            long piece = Math.min(PIECE_BYTES, bytes - at);
            if (used + piece > staging.segment().byteSize()) {
                device.synchronize();
                used = 0;
            }
            MemorySegment pinned = staging.segment().asSlice(used, piece);
            pinned.copyFrom(source.asSlice(at, piece));
            device.upload(target + at, pinned, piece);
            used += piece;
        }
    }

    /**
     * Copies to the host, after everything queued before; waits for the device.
     *
     * @param target any host memory
     * @param source address on the device
     */
    public void download(MemorySegment target, long source) {
        long bytes = target.byteSize();
        if (bytes == 0) {
            device.synchronize();
        }
        for (long at = 0; at < bytes; at += PIECE_BYTES) {
            long piece = Math.min(PIECE_BYTES, bytes - at);
            if (used + piece > staging.segment().byteSize()) {
                device.synchronize();
                used = 0;
            }
            MemorySegment pinned = staging.segment().asSlice(used, piece);
            device.download(pinned, source + at, piece);
            device.synchronize();
            used = 0;
            MemorySegment.copy(pinned, 0, target, at, piece);
        }
    }

    @Override
    public void close() {
        staging.close();
    }
}
