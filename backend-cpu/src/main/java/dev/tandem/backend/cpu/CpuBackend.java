package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.kernel.WorkerPool;
import dev.tandem.backend.cpu.state.CpuState;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.numeric.Dequantizer;
import dev.tandem.spi.numeric.RopeTable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The host's cores as a backend. It supports every op. */
public final class CpuBackend implements Backend {
    private final DeviceInfo device;
    private final Kernels kernels;
    private final WorkerPool pool;
    private final Map<RopeSpec, RopeTable> ropes = new ConcurrentHashMap<>();

    /**
     * Opens the cores with one kernel set.
     *
     * @param device as probed
     * @param kernels the set
     * @param threads workers including the caller
     */
    public CpuBackend(DeviceInfo device, Kernels kernels, int threads) {
        this.device = device;
        this.kernels = kernels;
        this.pool = new WorkerPool(threads);
    }

    @Override
    public DeviceInfo device() {
        return device;
    }

    @Override
    public Support supports(Node node, Precision precision) {
        for (WeightRef weight : node.op().weights()) {
            if (!Dequantizer.supports(weight.type())) {
                return new Support.No("no kernel reads weights of type " + weight.type());
            }
        }
        return new Support.Yes();
    }

    @Override
    public WeightSet load(WeightRequest request) {
        try {
            return new CpuWeights(request, kernels, pool);
        } catch (OutOfMemoryError e) {
            throw outOfMemory("the weights of " + request.model().id().file(), e);
        }
    }

    @Override
    public Executable compile(Graph graph, CompileOptions options, List<WeightSet> weights) {
        return new CpuExecutable(
                graph, options, weights.stream().map(CpuWeights.class::cast).toList(), this);
    }

    @Override
    public SequenceState newState(List<StateSpec> slots, StateOptions options) {
        return new CpuState(slots, options, kernels);
    }

    @Override
    public MemoryInfo memory() {
        Runtime runtime = Runtime.getRuntime();
        long used = runtime.totalMemory() - runtime.freeMemory();
        return new MemoryInfo(runtime.maxMemory(), runtime.maxMemory() - used);
    }

    @Override
    public void close() {
        pool.close();
    }

    Kernels kernels() {
        return kernels;
    }

    WorkerPool pool() {
        return pool;
    }

    RopeTable rope(RopeSpec spec) {
        return ropes.computeIfAbsent(spec, RopeTable::new);
    }

    static DeviceException outOfMemory(String what, OutOfMemoryError cause) {
        return new DeviceException(ErrorCode.OUT_OF_MEMORY, "cpu: no memory for " + what, false, cause);
    }
}
