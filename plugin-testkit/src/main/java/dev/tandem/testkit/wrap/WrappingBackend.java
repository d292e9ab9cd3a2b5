package dev.tandem.testkit.wrap;

import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.StateSpec;
import java.util.List;

/** Hands every call on to another backend, whose handles it wraps; subclasses change one thing. */
public class WrappingBackend implements Backend {
    private final Backend inner;

    /**
     * A wrapper without a change.
     *
     * @param inner does the work; closed with this
     */
    public WrappingBackend(Backend inner) {
        this.inner = inner;
    }

    /** The backend that does the work. */
    protected final Backend inner() {
        return inner;
    }

    @Override
    public DeviceInfo device() {
        return inner.device();
    }

    @Override
    public Support supports(Node node, Precision precision) {
        return inner.supports(node, precision);
    }

    @Override
    public WeightSet load(WeightRequest request) {
        return new WrappedWeights(inner.load(request));
    }

    @Override
    public Executable compile(Graph graph, CompileOptions options, List<WeightSet> weights) {
        return new WrappedExecutable(inner.compile(graph, options, unwrap(weights)));
    }

    /** The inner backend's sets. */
    protected static List<WeightSet> unwrap(List<WeightSet> weights) {
        return weights.stream().map(set -> ((WrappedWeights) set).inner()).toList();
    }

    @Override
    public SequenceState newState(List<StateSpec> slots, StateOptions options) {
        return new WrappedState(inner.newState(slots, options));
    }

    @Override
    public MemoryInfo memory() {
        return inner.memory();
    }

    @Override
    public void close() {
        inner.close();
    }
}
