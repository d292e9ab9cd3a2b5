package dev.tandem.spi.model;

import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.Optional;

/**
 * A checked, read-only view of one model file, which may consist of several parts on disk.
 *
 * <p>Every offset is verified before a view exists. Views are safe for use by several threads. After the file is closed,
 * {@link #data} and segments it gave out throw {@link IllegalStateException}.
 */
public interface ModelView {
    /**
     * Identity of this open file.
     *
     * @return unique in this process
     */
    ModelId id();

    /**
     * The architecture that the file names.
     *
     * @return the value of {@code general.architecture}, or an empty string where the file has none
     */
    String architecture();

    /**
     * Key-value metadata.
     *
     * @return typed access
     */
    Metadata metadata();

    /**
     * All tensors in file order.
     *
     * @return an unmodifiable collection
     */
    Collection<TensorInfo> tensors();

    /**
     * A tensor by name.
     *
     * @param name as in the file
     * @return empty where the file has none of this name
     */
    Optional<TensorInfo> tensor(String name);

    /**
     * Raw bytes of a tensor: rows of blocks, little-endian, not aligned beyond what the file gives.
     *
     * @param tensor one of {@link #tensors()}
     * @return a read-only segment of exactly {@link TensorInfo#bytes()}, valid until the file closes
     * @throws IllegalArgumentException where the tensor is not of this file
     */
    MemorySegment data(TensorInfo tensor);
}
