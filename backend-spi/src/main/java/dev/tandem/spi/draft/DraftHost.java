package dev.tandem.spi.draft;

import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The engine as a strategy sees it. Placement, weight loading, the loss of a device and the fallback stay on this
 * side: a strategy never meets a backend. Where the device of its graphs is lost, its calls fail and it is parked.
 * What was closed, by the strategy or with it, refuses further calls; closing again does nothing.
 */
public interface DraftHost {
    /**
     * Adds the target's embedding to a graph, scaled as the target does.
     *
     * @param graph a strategy's graph
     * @return {@code f32[step, hidden]}
     */
    Value embed(Graph.Builder graph);

    /**
     * Adds the target's output head to a graph.
     *
     * @param graph a strategy's graph
     * @param hidden the head's input, after the final norm
     * @return {@code f32[rows, vocabulary]}
     */
    Value logits(Graph.Builder graph, Value hidden);

    /**
     * Places, loads and compiles a graph.
     *
     * @param graph may name weights of the models and of the target
     * @param models files of the strategy
     * @param maxStepRows most rows in a run
     * @return an executable
     */
    Compiled compile(Graph graph, List<ModelView> models, int maxStepRows);

    /**
     * Memory of one sequence for a strategy's slots, over whose rows every graph compiled so far may run.
     *
     * @param slots those of graphs compiled so far; may be empty
     * @param maxRows most committed and open rows
     * @param maxStepRows most open rows
     * @return a state that may span backends
     */
    State newState(List<StateSpec> slots, int maxRows, int maxStepRows);

    /** A placed and compiled graph. */
    interface Compiled extends AutoCloseable {
        /**
         * Runs it over the open rows of one state.
         *
         * @param run rows and inputs
         * @return results, valid until the next run
         */
        Step run(Run run);

        @Override
        void close();
    }

    /**
     * One run of a strategy's graph.
     *
     * @param state with open rows
     * @param tokens one per row; empty when the graph has no embedding
     * @param positions one per row
     * @param selected rows whose results are read
     * @param inputs rows by name
     * @param outputs names wanted
     */
    record Run(
            State state,
            int[] tokens,
            int[] positions,
            int[] selected,
            Map<String, Rows> inputs,
            Set<String> outputs) {}

    /** A strategy's memory of one sequence; calls as in {@link dev.tandem.spi.backend.SequenceState}. */
    interface State extends AutoCloseable {
        /**
         * Opens a step.
         *
         * @param kind what the rows are
         * @param parents per row
         */
        void begin(StepKind kind, int[] parents);

        /**
         * Keeps a path and ends the step.
         *
         * @param path rows kept
         */
        void commit(int[] path);

        /** Drops the open rows and ends the step. */
        void rollback();

        /**
         * Cuts to a length.
         *
         * @param rows committed rows wanted
         * @return the length reached
         */
        int truncate(int rows);

        @Override
        void close();
    }
}
