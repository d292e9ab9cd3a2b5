package dev.tandem.gpu;

import dev.tandem.gpu.device.Device;
import dev.tandem.gpu.device.Launch;
import dev.tandem.gpu.state.GpuState;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.DType;

/** Stores the keys and values of a step's rows. */
final class KvAppendStage implements Stage {
    private static final int THREADS = 128;

    private final Value key;
    private final Value value;
    private final StateSpec.Kv slot;
    private final StepTable table;
    private final Launch launch;

    KvAppendStage(Device device, Node node, int firstInput, StateSpec.Kv slot, StepTable table) {
        this.key = node.inputs().get(firstInput);
        this.value = node.inputs().get(firstInput + 1);
        this.slot = slot;
        this.table = table;
        this.launch = device.kernel("kv_append" + suffix(slot), 7)
                .set(4, slot.heads())
                .set(5, slot.keyDim())
                .set(6, slot.valueDim());
    }

    /** End of the names of kernels that read or write a slot. */
    static String suffix(StateSpec.Kv slot) {
        return slot.type() == DType.F16 ? "_f16" : "_f32";
    }

    /** Where a slot lies in the pages of a step's sequences, which is the same in all. */
    static long slotOffset(RunContext context, StateSpec.Kv slot) {
        GpuState state = (GpuState) context.batch().slices().getFirst().state();
        return state.layout().slot(slot.slot()).offset();
    }

    @Override
    public void run(RunContext context) {
        if (context.rows(key) > 0) {
            launch.set(0, context.address(key))
                    .set(1, context.address(value))
                    .set(2, table.address())
                    .set(3, slotOffset(context, slot));
            launch.run(context.rows(key), 1, THREADS);
        }
    }
}
