package dev.tandem.gpu;

import dev.tandem.gpu.device.Device;
import dev.tandem.gpu.device.Transfers;
import dev.tandem.gpu.state.GpuState;
import dev.tandem.gpu.state.StateMemory;
import dev.tandem.gpu.weights.GpuWeights;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.numeric.RopeTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One open GPU. */
final class GpuBackend implements Backend {
    private final DeviceInfo info;
    private final Device device;
    private final Transfers transfers;
    private final StateMemory stateMemory;
    private final Map<RopeSpec, RopeTable> ropes = new HashMap<>();

    GpuBackend(DeviceInfo info, Device device) {
        this.info = info;
        this.device = device;
        try {
            this.transfers = new Transfers(device);
            this.stateMemory = new StateMemory(device, transfers);
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
    }

    @Override
    public DeviceInfo device() {
        return info;
    }

    @Override
    public Support supports(Node node, Precision precision) {
        return Supported.of(node);
    }

    @Override
    public WeightSet load(WeightRequest request) {
        device.use();
        return new GpuWeights(request, device, transfers);
    }

    @Override
    public Executable compile(Graph graph, CompileOptions options, List<WeightSet> weights) {
        device.use();
        return new GpuExecutable(
                graph, options, weights.stream().map(GpuWeights.class::cast).toList(), this);
    }

    @Override
    public SequenceState newState(List<StateSpec> slots, StateOptions options) {
        return new GpuState(stateMemory, slots, options);
    }

    @Override
    public MemoryInfo memory() {
        return device.memory();
    }

    @Override
    public void close() {
        device.close();
    }

    Device gpu() {
        return device;
    }

    Transfers transfers() {
        return transfers;
    }

    RopeTable rope(RopeSpec spec) {
        return ropes.computeIfAbsent(spec, RopeTable::new);
    }

    /** Queues a copy of rows that lie on the host or on another device. */
    void upload(long target, Rows rows, int count) {
        long bytes = 4L * count * rows.type().columns();
        if (rows instanceof Rows.Host host) {
            transfers.upload(target, host.data().asSlice(0, bytes));
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(bytes, 8);
            rows.copyTo(0, count, copy);
            transfers.upload(target, copy);
        }
    }
}
