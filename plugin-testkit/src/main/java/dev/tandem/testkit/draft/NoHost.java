package dev.tandem.testkit.draft;

import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;

/** A host for strategies that need none: every request fails. */
public final class NoHost implements DraftHost {
    @Override
    public Value embed(Graph.Builder graph) {
        throw refusal();
    }

    @Override
    public Value logits(Graph.Builder graph, Value hidden) {
        throw refusal();
    }

    @Override
    public Compiled compile(Graph graph, List<ModelView> models, int maxStepRows) {
        throw refusal();
    }

    @Override
    public State newState(List<StateSpec> slots, int maxRows, int maxStepRows) {
        throw refusal();
    }

    private static AssertionError refusal() {
        return new AssertionError("the strategy asks its host for graphs or memory: override DraftContract.host()");
    }
}
