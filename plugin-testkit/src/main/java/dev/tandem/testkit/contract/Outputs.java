package dev.tandem.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.model.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Outputs of a step, copied to the host.
 *
 * @param rows by name
 */
record Outputs(Map<String, Block> rows) {
    /**
     * The rows of one output.
     *
     * @param type of the value
     * @param bits of each element, row-major
     */
    record Block(ValueType type, int[] bits) {
        boolean real() {
            return type.type() == DType.F32;
        }

        double value(int i) {
            return real() ? Float.intBitsToFloat(bits[i]) : bits[i];
        }
    }

    static Outputs of(Step step, Set<String> names) {
        Map<String, Block> rows = new LinkedHashMap<>();
        for (String name : names) {
            Rows output = step.output(name);
            int[] bits = new int[output.count() * output.type().columns()];
            output.copyTo(0, output.count(), MemorySegment.ofArray(bits));
            rows.put(name, new Block(output.type(), bits));
        }
        return new Outputs(rows);
    }

    /** Some rows of every output. */
    Outputs pick(int... chosen) {
        Map<String, Block> picked = new LinkedHashMap<>();
        rows.forEach((name, block) -> {
            int columns = block.type.columns();
            int[] bits = new int[chosen.length * columns];
            for (int i = 0; i < chosen.length; i++) {
                System.arraycopy(block.bits, chosen[i] * columns, bits, i * columns, columns);
            }
            picked.put(name, new Block(block.type, bits));
        });
        return new Outputs(picked);
    }

    /** Rows from the first on. */
    Outputs first(int count) {
        Map<String, Block> picked = new LinkedHashMap<>();
        rows.forEach((name, block) ->
                picked.put(name, new Block(block.type, Arrays.copyOf(block.bits, count * block.type.columns()))));
        return new Outputs(picked);
    }

    /** Asserts that these are the expected rows, as bits. */
    void assertBits(Outputs expected, String message) {
        assertEquals(expected.rows.keySet(), rows.keySet(), message);
        expected.rows.forEach((name, block) ->
                assertArrayEquals(block.bits, rows.getOrDefault(name, block).bits, () -> message + ", output " + name));
    }

    /** Asserts that integers are equal and reals differ by at most a share of the largest magnitude. */
    void assertClose(Outputs expected, double tolerance, String message) {
        assertEquals(expected.rows.keySet(), rows.keySet(), message);
        expected.rows.forEach((name, block) -> {
            Block mine = rows.getOrDefault(name, block);
            assertEquals(block.bits.length, mine.bits.length, () -> message + ", size of " + name);
            double largest = 0;
            for (int i = 0; i < block.bits.length; i++) {
                largest = Math.max(largest, Math.abs(block.value(i)));
            }
            for (int i = 0; i < block.bits.length; i++) {
                double difference = Math.abs(block.value(i) - mine.value(i));
                double allowed = block.real() ? tolerance * largest : 0;
                if (!(difference <= allowed)) {
                    fail(message + ", output " + name + " [" + i + "]: " + mine.value(i) + " instead of "
                            + block.value(i) + ", tolerance " + allowed);
                }
            }
        });
    }
}
