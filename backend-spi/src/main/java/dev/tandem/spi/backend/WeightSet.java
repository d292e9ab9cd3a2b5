package dev.tandem.spi.backend;

import dev.tandem.spi.model.ModelId;

/** Weights on a device, scoped to (model, device); closing one never touches another. */
public interface WeightSet extends AutoCloseable {
    /**
     * The file.
     *
     * @return the view's id
     */
    ModelId model();

    /**
     * Memory that this set takes beyond the mapped file.
     *
     * @return bytes
     */
    long deviceBytes();

    /** Frees the memory; executables compiled with the set are dead afterwards. May be called twice. */
    @Override
    void close();
}
