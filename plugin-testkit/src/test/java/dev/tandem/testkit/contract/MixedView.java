package dev.tandem.testkit.contract;

import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.model.Metadata;
import dev.tandem.spi.model.ModelId;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A model whose data are those of the first model loaded that had a tensor of the name and size. */
record MixedView(ModelView own, Map<String, WeightRequest> byTensor) implements ModelView {
    @Override
    public ModelId id() {
        return own.id();
    }

    @Override
    public String architecture() {
        return own.architecture();
    }

    @Override
    public Metadata metadata() {
        return own.metadata();
    }

    @Override
    public Collection<TensorInfo> tensors() {
        return own.tensors();
    }

    @Override
    public Optional<TensorInfo> tensor(String name) {
        return own.tensor(name);
    }

    @Override
    public MemorySegment data(TensorInfo tensor) {
        ModelView first = Objects.requireNonNull(byTensor.get(tensor.name())).model();
        return first.tensor(tensor.name())
                .filter(tensor::equals)
                .map(first::data)
                .orElseGet(() -> own.data(tensor));
    }
}
