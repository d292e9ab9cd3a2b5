package dev.tandem.runtime.model;

import dev.tandem.spi.model.ModelView;

/** One family of models. */
public interface Architecture {
    /** Value of {@code general.architecture}. */
    String id();

    /**
     * Reads and checks a file of this architecture; no weight is loaded.
     *
     * @param file whose architecture is {@link #id()}
     * @throws dev.tandem.spi.ModelFileException where metadata and tensors do not fit, with the tensor and both shapes
     */
    LanguageModel read(ModelView file);
}
