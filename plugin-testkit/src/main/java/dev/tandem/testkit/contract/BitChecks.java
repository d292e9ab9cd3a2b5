package dev.tandem.testkit.contract;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.TensorInfo;
import dev.tandem.spi.numeric.BlockQuantizer;
import dev.tandem.spi.numeric.Dequantizer;
import dev.tandem.spi.numeric.Functions;
import dev.tandem.spi.numeric.Half;
import dev.tandem.spi.numeric.Sums;
import dev.tandem.testkit.contract.Harness.Part;
import dev.tandem.testkit.contract.Outputs.Block;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The orders of N2 and N5 as plain loops: the bits that decide whether two devices agree (BE-03). */
final class BitChecks {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int ROWS = 3;
    private static final int OUT = 9;
    private static final int BLOCK = 32;
    private static final int SEGMENT = 8;
    private static final int CHUNK = 128;

    private final Backend backend;
    private final boolean keepsBits;

    BitChecks(Backend backend, boolean keepsBits) {
        this.backend = backend;
        this.keepsBits = keepsBits;
    }

    void sumsKeepTheContractsOrder() {
        matMul(DType.F32, 333, Precision.REFERENCE);
        matMul(DType.F32, 333, Precision.FAST);
        matMul(DType.Q8_0, 352, Precision.REFERENCE);
        matMul(DType.Q8_0, 352, Precision.FAST); // eleven blocks: a segment and a part of one
        matMul(DType.Q8_0, 1024, Precision.FAST);
    }

    private void matMul(DType type, int columns, Precision precision) {
        CaseBuilder builder = new CaseBuilder("MatMul " + type + " " + columns);
        Optional<WeightRef> bias = builder.vector("bias", OUT);
        OpCase c = builder.input("x", columns)
                .op(new Op.MatMul(builder.weight("w", type, OUT, columns), bias, Op.Arithmetic.BY_PRECISION));
        boolean integer = type == DType.Q8_0 && precision == Precision.FAST;
        float[] w = floats(c, "w");
        float[] b = floats(c, "bias");
        MemorySegment blocks = c.model().data(tensor(c, "w"));
        check(c, precision, 0, x -> {
            float[] y = new float[ROWS * OUT];
            for (int i = 0; i < y.length; i++) {
                int row = i / OUT * columns;
                int o = i % OUT;
                float sum = integer
                        ? integerDot(blocks, o * type.rowBytes(columns), get(x, "x"), row, columns)
                        : Sums.dot(w, o * columns, get(x, "x"), row, columns);
                y[i] = sum + b[o];
            }
            return y;
        });
    }

    /** N2 for Q8_0: exact block sums, segments of 8 blocks. */
    private static float integerDot(MemorySegment blocks, long at, float[] x, int from, int columns) {
        byte[] q = new byte[columns];
        float[] scales = new float[columns / BLOCK];
        BlockQuantizer.quantize(x, from, columns, q, 0, scales, new int[scales.length], 0);
        float total = 0f;
        for (int first = 0; first < scales.length; first += SEGMENT) {
            float segment = 0f;
            for (int block = first; block < Math.min(first + SEGMENT, scales.length); block++) {
                long start = at + (long) block * DType.Q8_0.blockBytes();
                int sum = 0;
                for (int i = 0; i < BLOCK; i++) {
                    sum += blocks.get(ValueLayout.JAVA_BYTE, start + 2 + i) * q[block * BLOCK + i];
                }
                float scale = Half.f16ToFloat(blocks.get(SHORT, start)) * scales[block];
                segment = Math.fma((float) sum, scale, segment);
            }
            total += segment;
        }
        return total;
    }

    void attentionKeepsTheContractsOrder() {
        attention(0, 0f);
        attention(0, 2f);
        attention(150, 0f);
    }

    private void attention(int window, float cap) {
        int history = 270;
        CaseBuilder builder = new CaseBuilder("Attention over " + history + " rows, window " + window);
        Optional<WeightRef> sink = cap > 0 ? builder.vector("sinks", 1) : Optional.empty();
        OpCase c = builder.state(new StateSpec.Kv("kv", 1, 40, 5, DType.F32, window))
                .input("q", 40)
                .input("k", 40)
                .input("v", 5)
                .op(new Op.Attention("kv", 1, 0.15f, cap, sink, Op.Attention.InStep.ANCESTORS));
        float[] sinks = sink.isPresent() ? floats(c, "sinks") : new float[0];
        check(c, Precision.REFERENCE, history, all -> {
            float[] y = new float[ROWS * 5];
            for (int row = 0; row < ROWS; row++) {
                float[] one = attend(all, history + row, window, cap, sinks);
                System.arraycopy(one, 0, y, row * 5, 5);
            }
            return y;
        });
    }

    /** N5 for one head: element 5 of the running state is the maximum, element 6 the sum of weights. */
    private static float[] attend(Map<String, float[]> x, int position, int window, float cap, float[] sinks) {
        float[] running = {};
        int lowest = window == 0 ? 0 : position + 1 - window;
        for (int start = lowest / CHUNK * CHUNK; start <= position; start += CHUNK) {
            int from = Math.max(lowest, start);
            float[] s = new float[Math.min(start + CHUNK, position + 1) - from];
            for (int i = 0; i < s.length; i++) {
                float score = Sums.dot(get(x, "q"), position * 40, get(x, "k"), (from + i) * 40, 40) * 0.15f;
                s[i] = cap > 0 ? Functions.tanh(score / cap) * cap : score;
            }
            float[] chunk = new float[7];
            chunk[5] = s[Sums.argMax(s, 0, s.length)];
            for (int i = 0; i < s.length; i++) {
                float weight = Functions.exp(s[i] - chunk[5]);
                chunk[6] += weight;
                for (int j = 0; j < 5; j++) {
                    chunk[j] = Math.fma(weight, get(x, "v")[(from + i) * 5 + j], chunk[j]);
                }
            }
            running = running.length == 0 ? chunk : merged(running, chunk);
        }
        for (float sink : sinks) {
            running = merged(running, new float[] {0, 0, 0, 0, 0, sink, 1});
        }
        float[] y = Arrays.copyOf(running, 5);
        for (int j = 0; j < 5; j++) {
            y[j] /= running[6];
        }
        return y;
    }

    private static float[] merged(float[] left, float[] right) {
        float[] joint = new float[7];
        joint[5] = Math.max(left[5], right[5]);
        float a = Functions.exp(left[5] - joint[5]);
        float b = Functions.exp(right[5] - joint[5]);
        for (int j : new int[] {0, 1, 2, 3, 4, 6}) {
            joint[j] = Math.fma(left[j], a, right[j] * b);
        }
        return joint;
    }

    /** What the contract gives for all rows, from the inputs by name. */
    @FunctionalInterface
    private interface Formula {
        float[] of(Map<String, float[]> inputs);
    }

    private static float[] get(Map<String, float[]> inputs, String name) {
        return inputs.getOrDefault(name, new float[0]);
    }

    private void check(OpCase c, Precision precision, int history, Formula formula) {
        if (!c.supportedBy(backend, precision)) {
            return; // refused cleanly, which BE-02 tests
        }
        Feed all = Feed.of(c.graph(), 1, new Feed.Range(0, history + ROWS));
        try (Harness harness = new Harness(backend, c.graph(), precision, c.model());
                SequenceState state = harness.newState()) {
            for (int at = 0; at < history; at += 90) {
                harness.feed(state, all.slice(at, 90));
            }
            Outputs actual = harness.step(List.of(Part.chain(state, ROWS)), all.slice(history, ROWS));
            Block block = actual.rows().values().iterator().next();
            float[] values = formula.of(all.inputs());
            int[] bits = new int[values.length];
            Arrays.setAll(bits, i -> Float.floatToRawIntBits(values[i]));
            Outputs expected = new Outputs(Map.of("y0", new Block(block.type(), bits)));
            String message = c.name() + " in " + precision + " against the numeric contract";
            if (keepsBits) {
                actual.assertBits(expected, message);
            } else {
                actual.assertClose(expected, c.tolerance(), message);
            }
        }
    }

    private static TensorInfo tensor(OpCase c, String name) {
        return c.model().tensor(name).orElseThrow();
    }

    private static float[] floats(OpCase c, String name) {
        TensorInfo tensor = tensor(c, name);
        float[] values = new float[Math.toIntExact(tensor.rows() * tensor.columns())];
        Dequantizer.dequantize(tensor.type(), c.model().data(tensor), 0, values.length, values, 0);
        return values;
    }
}
