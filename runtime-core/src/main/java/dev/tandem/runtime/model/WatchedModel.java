package dev.tandem.runtime.model;

import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.Metadata;
import dev.tandem.spi.model.ModelId;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A model file that remembers what was read of it, so that {@code inspect} can tell what an architecture does not use.
 *
 * <p>Asking for a key's value counts as use, asking for its type does not; a tensor is used when a graph names it or its
 * data was read. Safe for use by several threads.
 */
public final class WatchedModel implements ModelView {
    private final ModelView file;
    private final Set<String> readKeys = ConcurrentHashMap.newKeySet();
    private final Set<String> readTensors = ConcurrentHashMap.newKeySet();

    /**
     * Watches a file.
     *
     * @param file stays the owner of its data
     */
    public WatchedModel(ModelView file) {
        this.file = file;
    }

    /**
     * Keys of the architecture whose values nobody asked for, leaving out those that say nothing: 0, false, an empty
     * text or array, and arrays of such values, which converters write for "not used".
     *
     * @return in file order
     */
    public List<String> unusedKeys() {
        String prefix = architecture() + ".";
        return file.metadata().keys().stream()
                .filter(key -> key.startsWith(prefix) && !readKeys.contains(key))
                .filter(key -> !saysNothing(key))
                .toList();
    }

    private boolean saysNothing(String key) {
        Metadata metadata = file.metadata();
        String type = metadata.typeOf(key).orElseThrow();
        try {
            return switch (type.replaceFirst("\\[.*", "[]")) {
                case "string" -> metadata.text(key).orElseThrow().isEmpty();
                case "bool" -> !metadata.flag(key).orElseThrow();
                case "f32", "f64" -> metadata.real(key).orElseThrow() == 0;
                case "string[]" -> metadata.texts(key).orElseThrow().stream().allMatch(String::isEmpty);
                case "f32[]", "f64[]" ->
                    metadata.reals(key).orElseThrow().stream().allMatch(value -> value == 0);
                default ->
                    type.endsWith("]")
                            ? metadata.integers(key).orElseThrow().stream().allMatch(value -> value == 0)
                            : metadata.integer(key).orElseThrow() == 0;
            };
        } catch (ModelFileException e) {
            // What cannot be read is not nothing.
            return false;
        }
    }

    /**
     * Tensors that a graph does not name and whose data nobody read.
     *
     * @param graph all that the model computes
     * @return in file order
     */
    public List<String> unusedTensors(Graph graph) {
        Set<String> used = new HashSet<>(readTensors);
        graph.weights().stream().map(WeightRef::tensor).forEach(used::add);
        return file.tensors().stream()
                .map(TensorInfo::name)
                .filter(name -> !used.contains(name))
                .toList();
    }

    @Override
    public ModelId id() {
        return file.id();
    }

    @Override
    public String architecture() {
        return file.architecture();
    }

    @Override
    public Metadata metadata() {
        return new Values();
    }

    @Override
    public Collection<TensorInfo> tensors() {
        return file.tensors();
    }

    @Override
    public Optional<TensorInfo> tensor(String name) {
        return file.tensor(name);
    }

    @Override
    public MemorySegment data(TensorInfo tensor) {
        readTensors.add(tensor.name());
        return file.data(tensor);
    }

    private final class Values implements Metadata {
        private final Metadata values = file.metadata();

        private String read(String key) {
            readKeys.add(key);
            return key;
        }

        @Override
        public Collection<String> keys() {
            return values.keys();
        }

        @Override
        public Optional<String> typeOf(String key) {
            return values.typeOf(key);
        }

        @Override
        public Optional<String> text(String key) {
            return values.text(read(key));
        }

        @Override
        public Optional<Long> integer(String key) {
            return values.integer(read(key));
        }

        @Override
        public Optional<Double> real(String key) {
            return values.real(read(key));
        }

        @Override
        public Optional<Boolean> flag(String key) {
            return values.flag(read(key));
        }

        @Override
        public Optional<List<Long>> integers(String key) {
            return values.integers(read(key));
        }

        @Override
        public Optional<List<Double>> reals(String key) {
            return values.reals(read(key));
        }

        @Override
        public Optional<List<String>> texts(String key) {
            return values.texts(read(key));
        }
    }
}
