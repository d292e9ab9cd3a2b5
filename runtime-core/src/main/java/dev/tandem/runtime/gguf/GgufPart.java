package dev.tandem.runtime.gguf;

import dev.tandem.spi.model.TensorInfo;
import java.util.List;
import java.util.Optional;

/**
 * What the header of one file on disk says, all of it checked.
 *
 * @param version 2 or 3
 * @param alignment of the tensors' data, in bytes, a power of two
 * @param metadata its keys
 * @param tensors in file order
 * @param hasData false where the file ends with its header although tensors have data: good for inspection only
 */
record GgufPart(int version, long alignment, GgufMetadata metadata, List<Tensor> tensors, boolean hasData) {
    /**
     * A tensor and the place of its data.
     *
     * @param name as in the file
     * @param layout of its elements
     * @param shape slowest dimension first
     * @param bytes size of its data
     * @param offset first byte, counted from the start of the file
     */
    record Tensor(String name, GgufTensorTypes.Layout layout, List<Long> shape, long bytes, long offset) {
        Tensor {
            shape = List.copyOf(shape);
        }

        /** The first byte behind the data. */
        long end() {
            return offset + bytes;
        }

        /** What a view shows of it; empty where its type is none that a weight can have. */
        Optional<TensorInfo> info() {
            return layout.type().map(type -> new TensorInfo(name, type, shape, bytes));
        }
    }
}
