package dev.tandem.runtime.gguf;

import dev.tandem.spi.model.DType;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SequencedMap;

/**
 * Writes GGUF files of version 3, little-endian. The data of each tensor is streamed, so that a file may be larger than
 * memory.
 */
public final class GgufWriter {
    private static final int TYPE_U32 = 4;
    private static final int TYPE_F32 = 6;
    private static final int TYPE_BOOL = 7;
    private static final int TYPE_STRING = 8;
    private static final int TYPE_ARRAY = 9;
    private static final int ALIGNMENT = 32;
    private static final int BUFFER_BYTES = 1 << 20;

    private GgufWriter() {}

    /**
     * One tensor of the file.
     *
     * @param name unique in the file
     * @param type of the elements
     * @param shape rows first, as {@link dev.tandem.spi.model.TensorInfo} has it; the file holds the reverse
     * @param data writes exactly the bytes of the tensor
     */
    public record Tensor(String name, DType type, List<Long> shape, Data data) {
        /** Copies the shape. */
        public Tensor {
            shape = List.copyOf(shape);
        }

        /**
         * Size of the data.
         *
         * @return bytes, without padding
         */
        public long bytes() {
            long rows = 1;
            for (long dimension : shape.subList(0, shape.size() - 1)) {
                rows = Math.multiplyExact(rows, dimension);
            }
            return Math.multiplyExact(rows, type.rowBytes(shape.getLast()));
        }
    }

    /** The bytes of a tensor. */
    @FunctionalInterface
    public interface Data {
        /**
         * Writes all of them.
         *
         * @param out receives the bytes
         * @throws IOException where writing fails
         */
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * Writes a file.
     *
     * @param target receives the file; stays open
     * @param metadata values are {@link String}, {@link Boolean}, {@link Integer} (unsigned, 32 bits), {@link Float}, or
     *     a list of strings
     * @param tensors in the order of the file
     * @throws IOException where writing fails, or a tensor's data has another size than its shape says
     */
    public static void write(OutputStream target, SequencedMap<String, Object> metadata, List<Tensor> tensors)
            throws IOException {
        Counted out = new Counted(new BufferedOutputStream(target, BUFFER_BYTES));
        out.write("GGUF".getBytes(StandardCharsets.US_ASCII));
        out.write(u32(3));
        out.write(u64(tensors.size()));
        out.write(u64(metadata.size()));
        for (var entry : metadata.entrySet()) {
            out.write(text(entry.getKey()));
            writeValue(out, entry.getValue());
        }
        long offset = 0;
        for (Tensor tensor : tensors) {
            out.write(text(tensor.name()));
            out.write(u32(tensor.shape().size()));
            for (long dimension : tensor.shape().reversed()) {
                out.write(u64(dimension));
            }
            out.write(u32(GgufTensorTypes.id(tensor.type())));
            out.write(u64(offset));
            offset = aligned(Math.addExact(offset, tensor.bytes()));
        }
        out.pad();
        for (Tensor tensor : tensors) {
            long start = out.written;
            tensor.data().writeTo(out);
            if (out.written - start != tensor.bytes()) {
                throw new IOException("tensor " + tensor.name() + " has " + (out.written - start) + " bytes instead of "
                        + tensor.bytes());
            }
            out.pad();
        }
        out.flush();
    }

    private static void writeValue(OutputStream out, Object value) throws IOException {
        switch (value) {
            case String text -> {
                out.write(u32(TYPE_STRING));
                out.write(text(text));
            }
            case Boolean flag -> {
                out.write(u32(TYPE_BOOL));
                out.write(flag ? 1 : 0);
            }
            case Integer number -> {
                out.write(u32(TYPE_U32));
                out.write(u32(number));
            }
            case Float number -> {
                out.write(u32(TYPE_F32));
                out.write(u32(Float.floatToRawIntBits(number)));
            }
            case List<?> texts -> {
                out.write(u32(TYPE_ARRAY));
                out.write(u32(TYPE_STRING));
                out.write(u64(texts.size()));
                for (Object text : texts) {
                    out.write(text((String) text));
                }
            }
            default -> throw new IllegalArgumentException("no GGUF type for " + value.getClass());
        }
    }

    private static long aligned(long offset) {
        return Math.ceilDiv(offset, ALIGNMENT) * ALIGNMENT;
    }

    private static byte[] u32(int value) {
        return bytes(4).putInt(value).array();
    }

    private static byte[] u64(long value) {
        return bytes(8).putLong(value).array();
    }

    private static byte[] text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return bytes(8 + utf8.length).putLong(utf8.length).put(utf8).array();
    }

    private static ByteBuffer bytes(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Knows how many bytes went through. */
    private static final class Counted extends OutputStream {
        private final OutputStream out;
        private long written;

        Counted(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
            written++;
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            out.write(bytes, from, count);
            written += count;
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        void pad() throws IOException {
            write(new byte[(int) (aligned(written) - written)]);
        }
    }
}
