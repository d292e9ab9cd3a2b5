package dev.tandem.spi.backend;

import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.StateSpec;
import java.util.List;

/** One open device. */
public interface Backend extends AutoCloseable {
    /**
     * The device as opened.
     *
     * @return what to show to people; {@link DeviceInfo#driver()} names the library or kernel set in use
     */
    DeviceInfo device();

    /**
     * Whether this backend computes a node; types, shapes and precision decide. Called before weights are loaded.
     *
     * @param node of a graph that may be compiled later
     * @param precision of that graph
     * @return yes, or no with the reason
     */
    Support supports(Node node, Precision precision);

    /**
     * Loads weights of one model.
     *
     * @param request which weights, for which precision
     * @return a handle scoped to (model, this device)
     * @throws dev.tandem.spi.DeviceException where there is no room
     */
    WeightSet load(WeightRequest request);

    /**
     * Compiles a graph of supported nodes. Values that another backend computes appear as inputs.
     *
     * @param graph the graph
     * @param options bounds and rules
     * @param weights of this backend, covering {@link Graph#weights()}
     * @return an executable
     * @throws dev.tandem.spi.DeviceException where there is no room for scratch memory
     */
    Executable compile(Graph graph, CompileOptions options, List<WeightSet> weights);

    /**
     * Storage for the slots of one sequence.
     *
     * @param slots those of this backend's graphs; may be empty
     * @param options sizes
     * @return a state without committed rows
     * @throws dev.tandem.spi.DeviceException where there is no room
     */
    SequenceState newState(List<StateSpec> slots, StateOptions options);

    /**
     * Memory for weights, scratch and state.
     *
     * @return sizes now; {@link MemoryInfo#UNKNOWN} by default
     */
    default MemoryInfo memory() {
        return MemoryInfo.UNKNOWN;
    }

    /** Ends the device; handles made by it are dead afterwards. May be called twice; does not block or throw. */
    @Override
    void close();

    /** Whether a node can be computed. */
    sealed interface Support {
        /** It can. */
        record Yes() implements Support {}

        /**
         * It cannot.
         *
         * @param reason for the placement report
         */
        record No(String reason) implements Support {}
    }

    /**
     * How to compile.
     *
     * @param precision of the arithmetic
     * @param exact whether prefill, too, keeps N1 to N5
     * @param maxStepRows most rows in a batch; bounds scratch memory
     */
    record CompileOptions(Precision precision, boolean exact, int maxStepRows) {}

    /**
     * Sizes of a state.
     *
     * @param maxRows most committed and open rows
     * @param maxStepRows most open rows
     */
    record StateOptions(int maxRows, int maxStepRows) {}

    /**
     * Memory of a device.
     *
     * @param totalBytes all of it, or -1
     * @param freeBytes what is left, or -1
     */
    record MemoryInfo(long totalBytes, long freeBytes) {
        /** A backend that cannot tell. */
        public static final MemoryInfo UNKNOWN = new MemoryInfo(-1, -1);
    }
}
