package dev.tandem.testkit.contract;

import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.model.DType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Rows that go into a step: a token each, and the graph's inputs by name; an i32 element is its bits as a float.
 *
 * @param tokens one per row
 * @param inputs row-major, by name
 */
record Feed(int[] tokens, Map<String, float[]> inputs) {
    /** Inputs of this name prefix have few distinct values, so that ranking meets ties. */
    static final String TIES = "ties";
    /** Inputs of this name prefix are short: a delta rule with long keys grows without bound. */
    static final String SHORT = "short";

    /** Any number of tokens gives any number of rows, and a token always the same row. */
    static Feed of(Graph graph, int idBound, int... tokens) {
        Map<String, float[]> inputs = new HashMap<>();
        graph.inputs().forEach((name, value) -> {
            float[] rows = new float[tokens.length * value.columns()];
            boolean ids = value.type().type() == DType.I32;
            for (int row = 0; row < tokens.length; row++) {
                Random random = new Random(31L * name.hashCode() + tokens[row]);
                for (int i = row * value.columns(); i < (row + 1) * value.columns(); i++) {
                    rows[i] = ids ? Float.intBitsToFloat(random.nextInt(idBound)) : real(random, name);
                }
            }
            inputs.put(name, rows);
        });
        return new Feed(tokens.clone(), inputs);
    }

    private static float real(Random random, String name) {
        float x = (float) random.nextGaussian();
        return name.startsWith(TIES) ? Math.round(2 * x) / 2f : name.startsWith(SHORT) ? 0.4f * x : x;
    }

    /** As many rows of tokens 0, 1, 2 and so on. */
    static Feed of(Graph graph, int idBound, Range rows) {
        return of(graph, idBound, IntStream.range(rows.from, rows.to).toArray());
    }

    /**
     * Consecutive tokens.
     *
     * @param from the first
     * @param to after the last
     */
    record Range(int from, int to) {}

    int rows() {
        return tokens.length;
    }

    /** Some of the rows, in a new order. */
    Feed pick(int... rows) {
        Map<String, float[]> picked = new HashMap<>();
        inputs.forEach((name, all) -> {
            int columns = all.length / tokens.length;
            float[] some = new float[rows.length * columns];
            for (int i = 0; i < rows.length; i++) {
                System.arraycopy(all, rows[i] * columns, some, i * columns, columns);
            }
            picked.put(name, some);
        });
        return new Feed(Arrays.stream(rows).map(row -> tokens[row]).toArray(), picked);
    }

    /** Consecutive rows. */
    Feed slice(int from, int count) {
        return pick(IntStream.range(from, from + count).toArray());
    }
}
