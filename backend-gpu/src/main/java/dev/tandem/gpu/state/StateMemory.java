package dev.tandem.gpu.state;

import dev.tandem.gpu.device.Device;
import dev.tandem.gpu.device.DeviceBuffer;
import dev.tandem.gpu.device.Launch;
import dev.tandem.gpu.device.Transfers;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.model.DType;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** What all sequences of a device share: how to take memory, copy it and move rows in it. */
public final class StateMemory {
    private static final int MOVE_THREADS = 128;

    private final Device device;
    private final Transfers transfers;
    private @Nullable DeviceBuffer tables;

    /**
     * Takes no memory.
     *
     * @param device of the sequences
     * @param transfers of the device
     */
    public StateMemory(Device device, Transfers transfers) {
        this.device = device;
        this.transfers = transfers;
    }

    Device device() {
        return device;
    }

    Transfers transfers() {
        return transfers;
    }

    /** Moves each row of a path to its place after the committed rows, in every slot. */
    void move(GpuState state, int[] path) {
        int pages = state.pages();
        ByteBuffer bytes = ByteBuffer.allocate(8 * pages + 4 * path.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int page = 0; page < pages; page++) {
            bytes.putLong(state.page(page));
        }
        for (int row : path) {
            bytes.putInt(row);
        }
        long address = table(bytes.capacity());
        transfers.upload(address, MemorySegment.ofArray(bytes.array()));
        for (KvLayout.Slot slot : state.layout().slots()) {
            move(slot, address, address + 8L * pages, path.length, state.committedRows());
        }
    }

    private void move(KvLayout.Slot slot, long pages, long path, int count, int committed) {
        StateSpec.Kv spec = slot.spec();
        Launch launch = device.kernel(spec.type() == DType.F16 ? "kv_move_f16" : "kv_move_f32", 8)
                .set(0, pages)
                .set(1, path)
                .set(2, count)
                .set(3, committed)
                .set(4, slot.offset())
                .set(5, spec.heads())
                .set(6, spec.keyDim())
                .set(7, spec.valueDim());
        int columns = spec.heads() * (slot.paddedKeyDim() + spec.valueDim());
        launch.run(Launch.blocks(columns, MOVE_THREADS), 1, MOVE_THREADS);
    }

    private long table(int bytes) {
        DeviceBuffer known = tables;
        if (known == null || known.bytes() < bytes) {
            if (known != null) {
                known.close();
                tables = null;
            }
            known = device.allocate(2L * bytes, "a table of pages");
            tables = known;
        }
        return known.address();
    }
}
