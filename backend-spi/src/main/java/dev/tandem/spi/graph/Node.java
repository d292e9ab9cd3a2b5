package dev.tandem.spi.graph;

import java.util.List;

/**
 * One application of an op.
 *
 * @param op what is computed
 * @param inputs values defined by earlier nodes, in the op's order
 * @param outputs values that this node defines, in the op's order
 * @param label for people, such as {@code blk.3.attn_q}
 */
public record Node(Op op, List<Value> inputs, List<Value> outputs, String label) {
    /** Copies both lists. */
    public Node {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    /**
     * The only output.
     *
     * @return the first of {@link #outputs()}
     * @throws java.util.NoSuchElementException where the op defines no value
     */
    public Value output() {
        return outputs.getFirst();
    }
}
