package dev.tandem.testkit;

import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.Metadata;
import dev.tandem.spi.model.ModelId;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A model file that exists in memory only: tensors and metadata as a test wants them. */
public final class MemoryModel implements ModelView {
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final AtomicLong SERIALS = new AtomicLong();

    private final ModelId id;
    private final Map<String, Object> metadata = new LinkedHashMap<>();
    private final Map<String, TensorInfo> tensors = new LinkedHashMap<>();
    private final Map<String, MemorySegment> data = new LinkedHashMap<>();

    /**
     * An empty model.
     *
     * @param file name for messages
     */
    public MemoryModel(String file) {
        this.id = new ModelId(Long.MIN_VALUE + SERIALS.getAndIncrement(), file);
    }

    /**
     * Adds a tensor of any type.
     *
     * @param name of the tensor
     * @param type of its elements
     * @param bytes its data, whole rows
     * @param shape slowest dimension first
     * @return this model
     */
    public MemoryModel tensor(String name, DType type, byte[] bytes, long... shape) {
        List<Long> sizes = Arrays.stream(shape).boxed().toList();
        TensorInfo info = new TensorInfo(name, type, sizes, bytes.length);
        if (info.rows() * type.rowBytes(info.columns()) != bytes.length) {
            throw new IllegalArgumentException(
                    name + " of " + sizes + " " + type + " has not " + bytes.length + " bytes");
        }
        tensors.put(name, info);
        data.put(name, MemorySegment.ofArray(bytes).asReadOnly());
        return this;
    }

    /**
     * Adds an f32 tensor.
     *
     * @param name of the tensor
     * @param values its elements
     * @param shape slowest dimension first
     * @return this model
     */
    public MemoryModel floats(String name, float[] values, long... shape) {
        byte[] bytes = new byte[4 * values.length];
        MemorySegment.copy(values, 0, MemorySegment.ofArray(bytes), FLOAT, 0, values.length);
        return tensor(name, DType.F32, bytes, shape);
    }

    /**
     * Sets a metadata value.
     *
     * @param key the key
     * @param value a String, Long, Double, Boolean or List; null removes the key
     * @return this model
     */
    public MemoryModel set(String key, @Nullable Object value) {
        if (value == null) {
            metadata.remove(key);
        } else {
            metadata.put(key, value);
        }
        return this;
    }

    @Override
    public ModelId id() {
        return id;
    }

    @Override
    public String architecture() {
        return metadata().text("general.architecture").orElse("");
    }

    @Override
    public Metadata metadata() {
        return new Values();
    }

    @Override
    public Collection<TensorInfo> tensors() {
        return List.copyOf(tensors.values());
    }

    @Override
    public Optional<TensorInfo> tensor(String name) {
        return Optional.ofNullable(tensors.get(name));
    }

    @Override
    public MemorySegment data(TensorInfo tensor) {
        MemorySegment segment = data.get(tensor.name());
        if (segment == null) {
            throw new IllegalArgumentException(id.file() + " has no tensor " + tensor.name());
        }
        return segment;
    }

    private final class Values implements Metadata {
        @Override
        public Collection<String> keys() {
            return List.copyOf(metadata.keySet());
        }

        @Override
        public Optional<String> typeOf(String key) {
            return Optional.ofNullable(metadata.get(key)).map(Values::label);
        }

        private static String label(Object value) {
            return switch (value) {
                case String text -> "string";
                case Boolean flag -> "bool";
                case Double real -> "f64";
                case List<?> list -> (list.isEmpty() ? "i64" : label(list.getFirst())) + "[" + list.size() + "]";
                default -> "i64";
            };
        }

        @Override
        public Optional<String> text(String key) {
            return get(key, String.class);
        }

        @Override
        public Optional<Long> integer(String key) {
            return get(key, Long.class);
        }

        @Override
        public Optional<Double> real(String key) {
            return get(key, Double.class);
        }

        @Override
        public Optional<Boolean> flag(String key) {
            return get(key, Boolean.class);
        }

        @Override
        public Optional<List<Long>> integers(String key) {
            return list(key, Long.class);
        }

        @Override
        public Optional<List<Double>> reals(String key) {
            return list(key, Double.class);
        }

        @Override
        public Optional<List<String>> texts(String key) {
            return list(key, String.class);
        }

        private <T> Optional<T> get(String key, Class<T> type) {
            return Optional.ofNullable(metadata.get(key)).map(type::cast);
        }

        private <T> Optional<List<T>> list(String key, Class<T> type) {
            Object value = metadata.get(key);
            return value == null
                    ? Optional.empty()
                    : Optional.of(((List<?>) value).stream().map(type::cast).toList());
        }
    }
}
