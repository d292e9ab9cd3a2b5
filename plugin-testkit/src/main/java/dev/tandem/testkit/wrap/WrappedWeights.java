package dev.tandem.testkit.wrap;

import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.model.ModelId;

/** Weights of a wrapped backend. */
public class WrappedWeights implements WeightSet {
    private final WeightSet inner;

    /**
     * A wrapper without a change.
     *
     * @param inner does the work
     */
    public WrappedWeights(WeightSet inner) {
        this.inner = inner;
    }

    final WeightSet inner() {
        return inner;
    }

    @Override
    public ModelId model() {
        return inner.model();
    }

    @Override
    public long deviceBytes() {
        return inner.deviceBytes();
    }

    @Override
    public void close() {
        inner.close();
    }
}
