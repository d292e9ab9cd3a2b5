package dev.tandem.gpu;

import dev.tandem.gpu.device.Device;
import dev.tandem.gpu.device.DeviceGraph;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Steps that repeat, as one launch each: what a step launches depends on its shape alone, since everything else is read
 * from memory. A shape is recorded when it comes for the second time in a row for its number of rows; by then every
 * buffer has its size.
 */
final class Recordings implements AutoCloseable {
    private final Device device;
    private final Map<Integer, Entry> byRows = new HashMap<>();
    private boolean possible = true;

    Recordings(Device device) {
        this.device = device;
    }

    /** The shape seen last with some number of rows, and its recording where there is one. */
    private record Entry(Object shape, @Nullable DeviceGraph graph) {}

    /**
     * Queues a step.
     *
     * @param rows number of its rows
     * @param shape equal for steps that launch the same
     * @param launches queues the step's kernels
     */
    void run(int rows, Object shape, Runnable launches) {
        Entry known = byRows.get(rows);
        if (known != null && known.shape.equals(shape)) {
            DeviceGraph graph = known.graph == null ? record(rows, shape, launches) : known.graph;
            if (graph != null) {
                graph.run();
                return;
            }
        } else {
            put(rows, new Entry(shape, null));
        }
        launches.run();
    }

    private @Nullable DeviceGraph record(int rows, Object shape, Runnable launches) {
        if (!possible) {
            return null;
        }
        Optional<DeviceGraph> recorded = device.record(launches);
        possible = recorded.isPresent();
        recorded.ifPresent(graph -> put(rows, new Entry(shape, graph)));
        return recorded.orElse(null);
    }

    private void put(int rows, Entry entry) {
        Entry before = byRows.put(rows, entry);
        if (before != null && before.graph != null) {
            before.graph.close();
        }
    }

    @Override
    public void close() {
        byRows.values().forEach(entry -> {
            if (entry.graph != null) {
                entry.graph.close();
            }
        });
        byRows.clear();
    }
}
