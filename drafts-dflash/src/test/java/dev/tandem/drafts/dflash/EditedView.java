package dev.tandem.drafts.dflash;

import dev.tandem.spi.model.Metadata;
import dev.tandem.spi.model.ModelId;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** A file of which a test changes the architecture, keys or the names of tensors. */
final class EditedView implements ModelView {
    private final ModelView file;
    private final Map<String, Object> changed = new HashMap<>();
    private String architecture;
    private UnaryOperator<String> keyNames = UnaryOperator.identity();
    private UnaryOperator<String> tensorNames = UnaryOperator.identity();

    EditedView(ModelView file) {
        this.file = file;
        this.architecture = file.architecture();
    }

    EditedView architecture(String name) {
        architecture = name;
        return this;
    }

    /** Sets a key; {@link Optional#empty()} removes it. */
    EditedView with(String key, Object value) {
        changed.put(key, value);
        return this;
    }

    /** From the name asked for to that in the file. */
    EditedView keys(UnaryOperator<String> names) {
        keyNames = names;
        return this;
    }

    /** From the name in the file to the one shown. */
    EditedView tensors(UnaryOperator<String> names) {
        tensorNames = names;
        return this;
    }

    @Override
    public ModelId id() {
        return file.id();
    }

    @Override
    public String architecture() {
        return architecture;
    }

    @Override
    public Collection<TensorInfo> tensors() {
        return file.tensors().stream().map(this::renamed).toList();
    }

    private TensorInfo renamed(TensorInfo t) {
        return new TensorInfo(tensorNames.apply(t.name()), t.type(), t.shape(), t.bytes());
    }

    @Override
    public Optional<TensorInfo> tensor(String name) {
        return tensors().stream().filter(tensor -> tensor.name().equals(name)).findFirst();
    }

    @Override
    public MemorySegment data(TensorInfo tensor) {
        return file.tensors().stream()
                .filter(t -> tensorNames.apply(t.name()).equals(tensor.name()))
                .findFirst()
                .map(file::data)
                .orElseThrow();
    }

    @Override
    public Metadata metadata() {
        Metadata original = file.metadata();
        return new Metadata() {
            @SuppressWarnings("unchecked") // a test sets what the key's readers expect
            private <T> Optional<T> value(String key, Optional<T> inFile) {
                Object value = changed.get(key);
                if (value == null) {
                    return inFile;
                }
                return value instanceof Optional ? Optional.empty() : Optional.of((T) value);
            }

            private String source(String key) {
                return keyNames.apply(key);
            }

            @Override
            public Collection<String> keys() {
                Set<String> keys = new TreeSet<>(original.keys());
                keys.addAll(changed.keySet());
                return keys;
            }

            @Override
            public Optional<String> typeOf(String key) {
                return changed.containsKey(key) ? Optional.of("changed") : original.typeOf(source(key));
            }

            @Override
            public Optional<String> text(String key) {
                return value(key, original.text(source(key)));
            }

            @Override
            public Optional<Long> integer(String key) {
                return value(key, original.integer(source(key)));
            }

            @Override
            public Optional<Double> real(String key) {
                return value(key, original.real(source(key)));
            }

            @Override
            public Optional<Boolean> flag(String key) {
                return value(key, original.flag(source(key)));
            }

            @Override
            public Optional<List<Long>> integers(String key) {
                return value(key, original.integers(source(key)));
            }

            @Override
            public Optional<List<Double>> reals(String key) {
                return value(key, original.reals(source(key)));
            }

            @Override
            public Optional<List<String>> texts(String key) {
                return value(key, original.texts(source(key)));
            }
        };
    }
}
