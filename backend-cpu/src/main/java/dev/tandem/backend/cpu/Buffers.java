package dev.tandem.backend.cpu;

import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Gives each value of a graph a buffer, and lets a later value take the buffer of one that nobody reads any more. */
final class Buffers {
    private final Map<Value, Buffer> byValue = new HashMap<>();
    private final List<Buffer> all = new ArrayList<>();

    Buffers(Graph graph) {
        Map<Value, Integer> lastUse = new HashMap<>();
        Set<Value> kept = new HashSet<>(graph.outputs().values());
        List<Node> nodes = graph.nodes();
        for (int i = 0; i < nodes.size(); i++) {
            for (Value input : nodes.get(i).inputs()) {
                lastUse.put(input, i);
            }
        }
        Map<ValueType, Deque<Buffer>> free = new HashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get(i);
            for (Value output : node.outputs()) {
                Buffer buffer = free.computeIfAbsent(output.type(), type -> new ArrayDeque<>())
                        .poll();
                byValue.put(output, buffer == null ? created(output) : buffer);
            }
            for (Value value : touched(node)) {
                boolean dead = lastUse.getOrDefault(value, i) == i;
                if (dead && !kept.contains(value) && !(node.op() instanceof Op.Input)) {
                    free.computeIfAbsent(value.type(), type -> new ArrayDeque<>())
                            .add(of(value));
                }
            }
        }
    }

    private static Set<Value> touched(Node node) {
        Set<Value> values = new HashSet<>(node.inputs());
        values.addAll(node.outputs());
        return values;
    }

    private Buffer created(Value value) {
        Buffer buffer = new Buffer(value.type().type(), value.columns());
        all.add(buffer);
        return buffer;
    }

    Buffer of(Value value) {
        Buffer buffer = byValue.get(value);
        if (buffer == null) {
            throw new IllegalArgumentException("no buffer for " + value);
        }
        return buffer;
    }

    long bytes() {
        return all.stream().mapToLong(Buffer::bytes).sum();
    }
}
