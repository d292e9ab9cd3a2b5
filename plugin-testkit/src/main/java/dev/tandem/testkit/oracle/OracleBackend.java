package dev.tandem.testkit.oracle;

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
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.numeric.Dequantizer;
import java.util.List;

/** The oracle, which computes every op. */
final class OracleBackend implements Backend {
    private final DeviceInfo device;

    OracleBackend(DeviceInfo device) {
        this.device = device;
    }

    @Override
    public DeviceInfo device() {
        return device;
    }

    @Override
    public Support supports(Node node, Precision precision) {
        for (WeightRef weight : node.op().weights()) {
            if (!Dequantizer.supports(weight.type())) {
                return new Support.No("weights of type " + weight.type() + " have no f32 form");
            }
        }
        return new Support.Yes();
    }

    @Override
    public WeightSet load(WeightRequest request) {
        return new OracleWeights(request);
    }

    @Override
    public Executable compile(Graph graph, CompileOptions options, List<WeightSet> weights) {
        return new OracleExecutable(
                graph, options, weights.stream().map(OracleWeights.class::cast).toList());
    }

    @Override
    public SequenceState newState(List<StateSpec> slots, StateOptions options) {
        return OracleState.empty(slots, options);
    }

    @Override
    public void close() {}
}
