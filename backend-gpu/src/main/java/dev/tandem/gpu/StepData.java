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
    private @Nullable Room room;
    private long waitsAtUpload = -1;

    /** The same bytes twice. */
    private record Room(PinnedBuffer host, DeviceBuffer there) {}

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
        Room here = reserve(bytes);
        long at = 0;
        for (StepSection section : sections) {
            long size = section.bytes(batch);
            section.fill(batch, here.host.segment().asSlice(at, size));
            section.placeAt(here.there.address() + at);
            at += aligned(size);
        }
        device.upload(here.there.address(), here.host.segment(), bytes);
        waitsAtUpload = device.waits();
    }

    private static long aligned(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    private Room reserve(long bytes) {
        Room known = room;
        if (known != null && bytes <= known.there.bytes()) {
            return known;
        }
        close();
        long roomy = Math.max(SMALLEST, Long.highestOneBit(Math.max(1, bytes)) << 1);
        PinnedBuffer host = device.allocatePinned(roomy, "what a step is told");
        try {
            known = new Room(host, device.allocate(roomy, "what a step is told"));
        } catch (RuntimeException e) {
            host.close();
            throw e;
        }
        room = known;
        return known;
    }

    /** Where every part lies in this run. */
    List<Long> addresses() {
        return sections.stream().map(StepSection::address).toList();
    }

    long bytes() {
        return room == null ? 0 : room.there.bytes();
    }

    @Override
    public void close() {
        if (room != null) {
            room.host.close();
            room.there.close();
            room = null;
        }
    }
}
