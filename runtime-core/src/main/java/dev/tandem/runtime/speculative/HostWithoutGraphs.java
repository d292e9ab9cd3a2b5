package dev.tandem.runtime.speculative;

import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;

/** The host of strategies that work on tokens alone. One that asks it for weights or devices is refused. */
public final class HostWithoutGraphs implements DraftHost {
    @Override
    public Value embed(Graph.Builder graph) {
        throw refusal("the target's embedding");
    }

    @Override
    public Value logits(Graph.Builder graph, Value hidden) {
        throw refusal("the target's output head");
    }

    @Override
    public Compiled compile(Graph graph, List<ModelView> models, int maxStepRows) {
        throw refusal("a compiled graph");
    }

    @Override
    public State newState(List<StateSpec> slots, int maxRows, int maxStepRows) {
        throw refusal("state on a device");
    }

    @Override
    public Rows retain(Rows rows, int[] which) {
        throw refusal("a copy of hidden states");
    }

    private static UnsupportedOperationException refusal(String what) {
        return new UnsupportedOperationException(
                "this host serves strategies that work on tokens; there is no " + what);
    }
}
