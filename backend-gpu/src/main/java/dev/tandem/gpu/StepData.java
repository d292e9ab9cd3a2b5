package dev.tandem.gpu;

import dev.tandem.gpu.device.Device;
import dev.tandem.gpu.device.DeviceBuffer;
import dev.tandem.gpu.device.PinnedBuffer;
import dev.tandem.spi.backend.Batch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the host tells the device about a step, in one copy: angles, embeddings, who sees whom. */
final class StepData implements AutoCloseable {
    private static final long ALIGNMENT = 256;
    private static final long SMALLEST = 16 << 10;

    private final Device device;
    private final List<StepSection> sections = new ArrayList<>();
    private @Nullable PinnedBuffer host;
    private @Nullable DeviceBuffer there;
    private long waitsAtUpload = -1;

    StepData(Device device) {
        this.device = device;
    }

    /** Adds a part, which is filled for every run from then on. */
    <T extends StepSection> T add(T section) {
        sections.add(section);
        return section;
    }

    /** Fills all parts and queues the copy. */
    void upload(Batch batch) {
        long bytes = 0;
        for (StepSection section : sections) {
            bytes += aligned(section.bytes(batch));
        }
        if (waitsAtUpload == device.waits()) {
            device.synchronize(); // the last copy may still read the host's memory
        }
        reserve(bytes);
        PinnedBuffer from = host;
        DeviceBuffer to = there;
        if (from == null || to == null) {
            return;
        }
        long at = 0;
        for (StepSection section : sections) {
            long size = section.bytes(batch);
            section.fill(batch, from.segment().asSlice(at, size));
            section.placeAt(to.address() + at);
            at += aligned(size);
        }
        device.upload(to.address(), from.segment(), bytes);
        waitsAtUpload = device.waits();
    }

    private static long aligned(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    private void reserve(long bytes) {
        if (there != null && bytes <= there.bytes()) {
            return;
        }
        close();
        long roomy = Math.max(SMALLEST, Long.highestOneBit(Math.max(1, bytes)) << 1);
        there = device.allocate(roomy, "what a step is told");
        host = device.allocatePinned(roomy, "what a step is told");
    }

    long bytes() {
        return there == null ? 0 : there.bytes();
    }

    @Override
    public void close() {
        if (there != null) {
            there.close();
            there = null;
        }
        if (host != null) {
            host.close();
            host = null;
        }
    }
}
