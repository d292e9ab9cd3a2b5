package dev.tandem.gpu;

import dev.tandem.gpu.device.Device;
import dev.tandem.gpu.device.DeviceBuffer;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the values of one executable: a single block that grows with the number of rows. Values that do not live at
 * the same time share a place.
 */
final class Scratch implements AutoCloseable {
    private static final long ALIGNMENT = 256;

    private final Device device;
    private final String graph;
    private final List<ValueType> places = new ArrayList<>();
    private final Map<Value, Integer> placeOf = new HashMap<>();
    private final Map<Value, Long> elsewhere = new HashMap<>();
    private final List<Long> offsets = new ArrayList<>();
    private @Nullable DeviceBuffer block;
    private int stepRows;
    private int selectedRows;
    private long layouts;

    Scratch(Graph graph, Device device) {
        this.device = device;
        this.graph = graph.name();
        Map<Value, Integer> lastUse = new HashMap<>();
        List<Node> nodes = graph.nodes();
        for (int i = 0; i < nodes.size(); i++) {
            for (Value input : nodes.get(i).inputs()) {
                lastUse.put(input, i);
            }
        }
        Set<Value> kept = new HashSet<>(graph.outputs().values());
        Map<ValueType, Deque<Integer>> free = new HashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get(i);
            for (Value output : node.outputs()) {
                Integer place = free.computeIfAbsent(output.type(), type -> new ArrayDeque<>())
                        .poll();
                placeOf.put(output, place == null ? newPlace(output.type()) : place);
            }
            for (Value value : touched(node)) {
                boolean dead = lastUse.getOrDefault(value, i) == i;
                if (dead && !kept.contains(value) && !(node.op() instanceof Op.Input)) {
                    free.computeIfAbsent(value.type(), type -> new ArrayDeque<>())
                            .add(place(value));
                }
            }
        }
    }

    private static Set<Value> touched(Node node) {
        Set<Value> values = new HashSet<>(node.inputs());
        values.addAll(node.outputs());
        return values;
    }

    private int newPlace(ValueType type) {
        places.add(type);
        return places.size() - 1;
    }

    private int place(Value value) {
        Integer place = placeOf.get(value);
        if (place == null) {
            throw new IllegalArgumentException("no place for " + value);
        }
        return place;
    }

    /**
     * Makes room for a run; forgets the values of the last one.
     *
     * @throws dev.tandem.spi.DeviceException where there is no room; nothing is allocated then
     */
    void reserve(int rows, int selected) {
        elsewhere.clear();
        if (block != null && rows <= stepRows && selected <= selectedRows) {
            return;
        }
        close();
        int roomyRows = Math.max(stepRows, roundedUp(rows));
        int roomySelected = Math.max(selectedRows, roundedUp(selected));
        stepRows = 0;
        selectedRows = 0;
        offsets.clear();
        long at = 0;
        for (ValueType type : places) {
            offsets.add(at);
            long count = type.rows() == RowSet.STEP ? roomyRows : roomySelected;
            at += (4 * count * type.columns() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        }
        block = device.allocate(at, "values of " + roomyRows + " rows of " + graph);
        stepRows = roomyRows;
        selectedRows = roomySelected;
        layouts++;
    }

    /** Capacities are powers of two, so that they change seldom. */
    private static int roundedUp(int rows) {
        return rows <= 1 ? 1 : Integer.highestOneBit(rows - 1) << 1;
    }

    /** Address of a value in this run. */
    long address(Value value) {
        Long other = elsewhere.get(value);
        if (other != null) {
            return other;
        }
        if (block == null) {
            throw new IllegalStateException("no memory was reserved for " + value);
        }
        return block.address() + offsets.get(place(value));
    }

    /** Changes whenever values move: a new block may lie where the last one did, with values at other offsets. */
    long layout() {
        return layouts;
    }

    /** Lets a value lie elsewhere on the device during this run. */
    void place(Value value, long address) {
        elsewhere.put(value, address);
    }

    long bytes() {
        return block == null ? 0 : block.bytes();
    }

    @Override
    public void close() {
        if (block != null) {
            block.close();
            block = null;
        }
    }
}
