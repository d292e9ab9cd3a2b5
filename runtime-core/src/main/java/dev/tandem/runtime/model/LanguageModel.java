package dev.tandem.runtime.model;

import dev.tandem.spi.draft.DraftPlan.HiddenTap;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.DType;
import java.util.List;

/** A model as its architecture understood it. Safe for use by several threads. */
public interface LanguageModel {
    /** Name of the output that holds one row of logits per selected row. */
    String LOGITS = "logits";

    /** Name of the output that holds a tap, by its place in {@link GraphOptions#taps}. */
    static String tap(int index) {
        return "tap." + index;
    }

    /** Sizes. */
    ModelShape shape();

    /**
     * The forward graph: tokens in, {@value #LOGITS} out, and the taps.
     *
     * @param options state type and taps
     */
    Graph forward(GraphOptions options);

    /** Adds the embedding, as this model scales it, to a drafter's graph. */
    Value embed(Graph.Builder graph);

    /** Adds the output head, from the final norm's result on, to a drafter's graph. */
    Value logits(Graph.Builder graph, Value hidden);

    /** What was understood of attention, rope, windows and experts, one line each, for people. */
    List<String> notes();

    /**
     * How to build a forward graph.
     *
     * @param kvType element type of keys and values
     * @param taps hidden states wanted as outputs
     * @param context rows of the longest sequence, which decides the rope of some models; 0 for the training's
     */
    record GraphOptions(DType kvType, List<HiddenTap> taps, int context) {
        /** Copies the list. */
        public GraphOptions {
            taps = List.copyOf(taps);
        }

        /** A graph for the context of the training. */
        public GraphOptions(DType kvType, List<HiddenTap> taps) {
            this(kvType, taps, 0);
        }

        GraphOptions orContext(int trained) {
            return context > 0 ? this : new GraphOptions(kvType, taps, trained);
        }
    }
}
