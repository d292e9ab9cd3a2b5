package dev.tandem.spi.graph;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An immutable program over rows: nodes in topological order and the state slots that they use.
 *
 * <p>{@link #toString()} is canonical, so graphs can be compared in tests and read by people.
 *
 * @param name for people, such as {@code qwen3 forward}
 * @param nodes each reads values of earlier nodes only
 * @param states slots that the nodes name
 */
public record Graph(String name, List<Node> nodes, List<StateSpec> states) {
    /** Copies both lists and checks order, single definition, names and shapes. */
    public Graph {
        nodes = List.copyOf(nodes);
        states = List.copyOf(states);
        GraphChecks.check(name, nodes, states);
    }

    /**
     * A builder that checks shapes as nodes are added.
     *
     * @param name of the graph
     * @return an empty builder
     */
    public static Builder builder(String name) {
        return new Builder(name);
    }

    /**
     * Values offered as outputs, by name, in order.
     *
     * @return name to value
     */
    public Map<String, Value> outputs() {
        Map<String, Value> outputs = new LinkedHashMap<>();
        for (Node node : nodes) {
            if (node.op() instanceof Op.Output output) {
                outputs.put(output.name(), node.inputs().getFirst());
            }
        }
        return outputs;
    }

    /**
     * A value offered as an output.
     *
     * @param output its name
     * @return the value
     * @throws IllegalArgumentException where the graph has no such output
     */
    public Value output(String output) {
        Value value = outputs().get(output);
        if (value == null) {
            throw new IllegalArgumentException(name + " has no output " + output + "; there are "
                    + outputs().keySet());
        }
        return value;
    }

    /**
     * Values that the caller supplies, by name, in order.
     *
     * @return name to value
     */
    public Map<String, Value> inputs() {
        Map<String, Value> inputs = new LinkedHashMap<>();
        for (Node node : nodes) {
            if (node.op() instanceof Op.Input input) {
                inputs.put(input.name(), node.output());
            }
        }
        return inputs;
    }

    /**
     * Weights that the nodes name, without repetition, in order of first use.
     *
     * @return references as they stand in the nodes
     */
    public Set<WeightRef> weights() {
        Set<WeightRef> weights = new LinkedHashSet<>();
        for (Node node : nodes) {
            weights.addAll(node.op().weights());
        }
        return weights;
    }

    @Override
    public String toString() {
        return GraphPrinter.print(this);
    }

    /** Builds a graph; every call checks shapes and names the label, the op and the shapes that disagree. */
    public static final class Builder {
        private final String name;
        private final List<Node> nodes = new ArrayList<>();
        private final Map<String, StateSpec> states = new LinkedHashMap<>();
        private int nextValue;

        private Builder(String name) {
            this.name = name;
        }

        /**
         * Declares rows that the caller supplies.
         *
         * @param input name
         * @param type of the rows
         * @return the value
         */
        public Value input(String input, ValueType type) {
            return append(input, new Op.Input(input), List.of(), List.of(type)).getFirst();
        }

        /**
         * Adds a node with one output.
         *
         * @param label for people
         * @param op what to compute; not an input or output
         * @param inputs values of this builder
         * @return the output
         * @throws IllegalArgumentException where the shapes do not fit the op
         */
        public Value add(String label, Op op, Value... inputs) {
            List<Value> outputs = addAll(label, op, inputs);
            if (outputs.size() != 1) {
                throw new IllegalArgumentException(label + ": " + op.name() + " defines " + outputs.size() + " values");
            }
            return outputs.getFirst();
        }

        /**
         * Adds a node with any number of outputs.
         *
         * @param label for people
         * @param op what to compute
         * @param inputs values of this builder
         * @return the outputs, in the op's order
         * @throws IllegalArgumentException where the shapes do not fit the op
         */
        public List<Value> addAll(String label, Op op, Value... inputs) {
            List<Value> values = List.of(inputs);
            return append(label, op, values, ShapeRules.infer(label, op, values, states));
        }

        /**
         * Declares a state slot, before the node that uses it.
         *
         * @param spec the slot
         * @return this builder
         */
        public Builder state(StateSpec spec) {
            if (states.putIfAbsent(spec.slot(), spec) != null) {
                throw new IllegalArgumentException(name + ": state " + spec.slot() + " is declared twice");
            }
            return this;
        }

        /**
         * Offers a value under a name.
         *
         * @param output name
         * @param value of this builder
         * @return this builder
         */
        public Builder output(String output, Value value) {
            append(output, new Op.Output(output), List.of(value), List.of());
            return this;
        }

        /**
         * The finished graph.
         *
         * @return an immutable graph
         */
        public Graph build() {
            return new Graph(name, nodes, List.copyOf(states.values()));
        }

        private List<Value> append(String label, Op op, List<Value> inputs, List<ValueType> types) {
            List<Value> outputs = new ArrayList<>();
            for (ValueType type : types) {
                outputs.add(new Value(nextValue++, type));
            }
            nodes.add(new Node(op, inputs, outputs, label));
            return outputs;
        }
    }
}
