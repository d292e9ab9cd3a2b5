package dev.tandem.runtime.tokenizer;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.Metadata;
import dev.tandem.spi.model.ModelId;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A model file of metadata alone, written by hand. */
final class FakeModel implements ModelView, Metadata {
    private final Map<String, Object> values = new LinkedHashMap<>();
    private @Nullable TensorInfo embedding;

    /** Sets {@code tokenizer.ggml.NAME}. */
    FakeModel with(String name, Object value) {
        values.put("tokenizer.ggml." + name, value);
        return this;
    }

    /** Sets {@code general.name}. */
    FakeModel named(String name) {
        values.put("general.name", name);
        return this;
    }

    FakeModel without(String name) {
        values.remove("tokenizer.ggml." + name);
        return this;
    }

    /** Gives the model an embedding of so many rows. */
    FakeModel withRows(long rows) {
        embedding = new TensorInfo("token_embd.weight", DType.F32, List.of(rows, 4L), rows * 16);
        return this;
    }

    private <T> Optional<T> get(String key, Class<T> type) {
        Object value = values.get(key);
        if (value != null && !type.isInstance(value)) {
            throw new ModelFileException(ErrorCode.FILE_CORRUPT, "fake.gguf: " + key + " is no " + type);
        }
        return Optional.ofNullable(type.cast(value));
    }

    @Override
    public ModelId id() {
        return new ModelId(1, "fake.gguf");
    }

    @Override
    public String architecture() {
        return "fake";
    }

    @Override
    public Metadata metadata() {
        return this;
    }

    @Override
    public Collection<TensorInfo> tensors() {
        return List.of();
    }

    @Override
    public Optional<TensorInfo> tensor(String name) {
        return Optional.ofNullable(embedding).filter(tensor -> tensor.name().equals(name));
    }

    @Override
    public MemorySegment data(TensorInfo tensor) {
        throw new IllegalArgumentException("no tensors here");
    }

    @Override
    public Collection<String> keys() {
        return values.keySet();
    }

    @Override
    public Optional<String> typeOf(String key) {
        return Optional.ofNullable(values.get(key))
                .map(value -> value.getClass().getSimpleName());
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
    @SuppressWarnings("unchecked") // A test that puts a list of something else fails at once.
    public Optional<List<Long>> integers(String key) {
        return get(key, List.class).map(list -> (List<Long>) list);
    }

    @Override
    @SuppressWarnings("unchecked") // As above.
    public Optional<List<Double>> reals(String key) {
        return get(key, List.class).map(list -> (List<Double>) list);
    }

    @Override
    @SuppressWarnings("unchecked") // As above.
    public Optional<List<String>> texts(String key) {
        return get(key, List.class).map(list -> (List<String>) list);
    }
}
