package dev.tandem.runtime.gguf;

import dev.tandem.spi.model.DType;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Consumer;

/**
 * Writes small GGUF files for tests, and remembers where each number of their headers lies, so that a test can break one.
 *
 * <p>Fields are called {@code version}, {@code tensor count}, {@code metadata count}, {@code KEY/name length},
 * {@code KEY/type}, {@code KEY/length}, {@code KEY/value} and, for tensors, {@code NAME/name length},
 * {@code NAME/dimensions}, {@code NAME/dimension 1}, {@code NAME/type} and {@code NAME/offset}.
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares these records.
public final class GgufBytes {
    private final List<Consumer<Out>> entries = new ArrayList<>();
    private final List<TensorSpec> tensors = new ArrayList<>();
    private int version = 3;
    private int alignment = 32;

    /** A number in a header. */
    public record Field(int offset, int bytes) {}

    private record TensorSpec(String name, DType type, byte[] data, long dataBytes, long[] fastestFirst) {}

    /** A finished file. */
    public record Built(byte[] bytes, SequencedMap<String, Field> fields, int dataStart) {
        /** A copy in which one number is another. */
        public Built with(String field, long value) {
            Field at = field(field);
            byte[] copy = bytes.clone();
            for (int i = 0; i < at.bytes(); i++) {
                copy[at.offset() + i] = (byte) (value >> (8 * i));
            }
            return new Built(copy, fields, dataStart);
        }

        /** Where a number lies. */
        public Field field(String name) {
            Field at = fields.get(name);
            if (at == null) {
                throw new IllegalArgumentException(name + " is none of " + fields.keySet());
            }
            return at;
        }

        GgufPart parse() {
            return GgufParser.parse(MemorySegment.ofArray(bytes).asReadOnly(), "test.gguf");
        }
    }

    private static final class Out {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final SequencedMap<String, Field> fields = new LinkedHashMap<>();

        void number(String field, int size, long value) {
            fields.put(field, new Field(bytes.size(), size));
            raw(size, value);
        }

        void raw(int size, long value) {
            for (int i = 0; i < size; i++) {
                bytes.write((int) (value >> (8 * i)));
            }
        }

        void text(String field, String text) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            number(field, Long.BYTES, utf8.length);
            bytes.writeBytes(utf8);
        }

        void pad(int alignment) {
            while (bytes.size() % alignment != 0) {
                bytes.write(0);
            }
        }
    }

    /** Sets the version; 3 otherwise. */
    public GgufBytes version(int version) {
        this.version = version;
        return this;
    }

    /** Writes the key general.alignment and aligns by it. */
    public GgufBytes alignment(int alignment) {
        this.alignment = alignment;
        return integer("general.alignment", ValueType.U32, alignment);
    }

    /** An integer or boolean. */
    GgufBytes integer(String key, ValueType type, long value) {
        entries.add(out -> {
            head(out, key, type);
            out.number(key + "/value", type.minBytes(), value);
        });
        return this;
    }

    /** An f64 or f32. */
    GgufBytes real(String key, ValueType type, double value) {
        return integer(key, type, bits(type, value));
    }

    /** A string. */
    public GgufBytes text(String key, String value) {
        entries.add(out -> {
            head(out, key, ValueType.STRING);
            out.text(key + "/length", value);
        });
        return this;
    }

    /** An array of integers or booleans. */
    GgufBytes integers(String key, ValueType type, long... values) {
        entries.add(out -> {
            head(out, key, ValueType.ARRAY);
            out.number(key + "/element type", Integer.BYTES, id(type));
            out.number(key + "/length", Long.BYTES, values.length);
            for (long value : values) {
                out.raw(type.minBytes(), value);
            }
        });
        return this;
    }

    /** An array of f32 or f64. */
    GgufBytes reals(String key, ValueType type, double... values) {
        long[] bits = new long[values.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = bits(type, values[i]);
        }
        return integers(key, type, bits);
    }

    /** An array of strings. */
    public GgufBytes texts(String key, List<String> values) {
        entries.add(out -> {
            head(out, key, ValueType.ARRAY);
            out.number(key + "/element type", Integer.BYTES, id(ValueType.STRING));
            out.number(key + "/length", Long.BYTES, values.size());
            for (int i = 0; i < values.size(); i++) {
                out.text(key + "/" + i + "/length", values.get(i));
            }
        });
        return this;
    }

    /** A tensor with data. */
    public GgufBytes tensor(String name, DType type, byte[] data, long... fastestFirst) {
        tensors.add(new TensorSpec(name, type, data, data.length, fastestFirst));
        return this;
    }

    /** An f32 tensor with data. */
    public GgufBytes floats(String name, float[] data, long... fastestFirst) {
        ByteBuffer buffer = ByteBuffer.allocate(Float.BYTES * data.length).order(ByteOrder.LITTLE_ENDIAN);
        buffer.asFloatBuffer().put(data);
        return tensor(name, DType.F32, buffer.array(), fastestFirst);
    }

    /** A tensor for {@link #header}, whose data is not written. */
    public GgufBytes absent(String name, DType type, long dataBytes, long... fastestFirst) {
        tensors.add(new TensorSpec(name, type, new byte[0], dataBytes, fastestFirst));
        return this;
    }

    /** The header, padded to where data begins. */
    public Built header() {
        Out out = writeHeader();
        return new Built(out.bytes.toByteArray(), out.fields, out.bytes.size());
    }

    /** The whole file, each tensor followed by its padding. */
    public Built build() {
        Out out = writeHeader();
        int dataStart = out.bytes.size();
        for (TensorSpec tensor : tensors) {
            out.bytes.writeBytes(tensor.data());
            out.pad(alignment);
        }
        return new Built(out.bytes.toByteArray(), out.fields, dataStart);
    }

    private Out writeHeader() {
        Out out = new Out();
        out.bytes.writeBytes("GGUF".getBytes(StandardCharsets.US_ASCII));
        out.number("version", Integer.BYTES, version);
        out.number("tensor count", Long.BYTES, tensors.size());
        out.number("metadata count", Long.BYTES, entries.size());
        entries.forEach(entry -> entry.accept(out));
        long offset = 0;
        for (TensorSpec tensor : tensors) {
            out.text(tensor.name() + "/name length", tensor.name());
            out.number(tensor.name() + "/dimensions", Integer.BYTES, tensor.fastestFirst().length);
            int d = 1;
            for (long size : tensor.fastestFirst()) {
                out.number(tensor.name() + "/dimension " + d++, Long.BYTES, size);
            }
            out.number(tensor.name() + "/type", Integer.BYTES, GgufTensorTypes.id(tensor.type()));
            out.number(tensor.name() + "/offset", Long.BYTES, offset);
            offset += Math.ceilDiv(tensor.dataBytes(), (long) alignment) * alignment;
        }
        out.pad(alignment);
        return out;
    }

    private static void head(Out out, String key, ValueType type) {
        out.text(key + "/name length", key);
        out.number(key + "/type", Integer.BYTES, id(type));
    }

    private static int id(ValueType type) {
        return List.of(ValueType.values()).indexOf(type);
    }

    private static long bits(ValueType type, double value) {
        return type == ValueType.F32 ? Float.floatToIntBits((float) value) : Double.doubleToLongBits(value);
    }
}
