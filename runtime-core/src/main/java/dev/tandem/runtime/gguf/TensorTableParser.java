package dev.tandem.runtime.gguf;

import dev.tandem.runtime.gguf.GgufPart.Tensor;
import dev.tandem.runtime.gguf.GgufTensorTypes.Layout;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Parses the tensor table of one file and checks that the data it describes is there.
 *
 * <p>Tensors may come in any order and leave gaps, but must not overlap: a small file could otherwise describe any amount
 * of weights. The file must reach to the end of the last tensor; it may omit the padding behind it, but a padding that
 * has begun must be whole, since only a file cut short ends inside it. A file that ends exactly where the data would
 * begin is taken for a header without data.
 */
final class TensorTableParser {
    static final long MAX_TENSORS = 1 << 18;

    /** Name length, number of dimensions, type and offset. */
    static final long MIN_TENSOR_BYTES = 24;

    /** GGML_MAX_NAME in ggml.h, less the terminating zero. */
    private static final long MAX_NAME_BYTES = 63;

    /** GGML_MAX_DIMS in ggml.h. */
    private static final int MAX_DIMENSIONS = 4;

    private final GgufCursor cursor;
    private final long alignment;
    private long dataStart;
    private boolean hasData = true;

    TensorTableParser(GgufCursor cursor, long alignment) {
        this.cursor = cursor;
        this.alignment = alignment;
    }

    /** Reads the table at the cursor; offsets in the result count from the start of the file. */
    List<Tensor> tensors(long nTensors) {
        if (nTensors == 0) {
            return List.of();
        }
        Set<String> names = new HashSet<>();
        List<Tensor> relative = new ArrayList<>();
        for (long i = 1; i <= nTensors; i++) {
            relative.add(tensor(i, names));
        }
        locateData();
        List<Tensor> tensors = new ArrayList<>(relative.size());
        for (Tensor tensor : relative) {
            tensors.add(place(tensor));
        }
        checkExtent(tensors);
        return List.copyOf(tensors);
    }

    /** False after reading a table whose data is not in the file. */
    boolean hasData() {
        return hasData;
    }

    private Tensor tensor(long number, Set<String> names) {
        cursor.enter("tensor", number);
        String name = cursor.text("name length", MAX_NAME_BYTES);
        if (name.isEmpty()) {
            throw cursor.corrupt("name is empty");
        }
        cursor.enter("tensor", name);
        if (!names.add(name)) {
            throw cursor.corrupt("the name occurs twice");
        }
        int nDims = cursor.int32("dimension count");
        if (nDims < 0 || nDims > MAX_DIMENSIONS) {
            throw cursor.corrupt(
                    "dimension count " + Integer.toUnsignedString(nDims) + " is above the limit of " + MAX_DIMENSIONS);
        }
        List<Long> fastestFirst = new ArrayList<>(nDims);
        long elements = 1;
        for (int d = 1; d <= nDims; d++) {
            long size = dimension(d, elements);
            fastestFirst.add(size);
            // An empty axis counts as 1 here, so that a consumer's product over the other axes is bounded too.
            elements *= Math.max(size, 1);
        }
        Layout layout = layout(cursor.int32("type"));
        long bytes = bytes(layout, fastestFirst, elements);
        long offset = cursor.int64("offset");
        if (offset < 0 || offset % alignment != 0) {
            throw cursor.corrupt("offset " + Long.toUnsignedString(offset) + " is no multiple of the alignment "
                    + alignment + " or too large");
        }
        return new Tensor(name, layout, fastestFirst.reversed(), bytes, offset);
    }

    private long dimension(int number, long elementsBefore) {
        long size = cursor.int64("dimension " + number);
        if (size < 0) {
            throw cursor.corrupt("dimension " + number + " is " + Long.toUnsignedString(size) + ", above the limit of "
                    + Long.MAX_VALUE);
        }
        if (size > 0 && elementsBefore > Long.MAX_VALUE / size) {
            throw cursor.corrupt("dimension " + number + " is " + size + ": the tensor would have more than "
                    + Long.MAX_VALUE + " elements");
        }
        return size;
    }

    private Layout layout(int id) {
        return GgufTensorTypes.layout(id)
                .orElseThrow(() -> new ModelFileException(
                        ErrorCode.MODEL_UNSUPPORTED,
                        cursor.message("type " + GgufTensorTypes.describeUnsupported(id) + " is not supported"),
                        "Convert or quantise the model again with a current converter."));
    }

    private long bytes(Layout layout, List<Long> fastestFirst, long elements) {
        long columns = fastestFirst.isEmpty() ? 1 : fastestFirst.getFirst();
        if (columns % layout.blockElements() != 0) {
            throw cursor.corrupt("dimension 1 is " + columns + ", no multiple of the " + layout.blockElements()
                    + " elements in a block of " + layout.name());
        }
        long blocks = elements / layout.blockElements();
        if (blocks > Long.MAX_VALUE / layout.blockBytes()) {
            throw cursor.corrupt("shape " + fastestFirst.reversed() + " of " + layout.name() + " takes more than "
                    + Long.MAX_VALUE + " bytes");
        }
        return fastestFirst.contains(0L) ? 0 : blocks * layout.blockBytes();
    }

    private void locateData() {
        cursor.enter("header", "");
        long padding = -cursor.position() & (alignment - 1);
        cursor.skip("padding behind the tensor table", padding);
        dataStart = cursor.position();
    }

    private Tensor place(Tensor tensor) {
        cursor.enter("tensor", tensor.name());
        if (tensor.bytes() > Long.MAX_VALUE - dataStart - tensor.offset()) {
            throw cursor.corrupt("offset " + tensor.offset() + " plus its " + tensor.bytes() + " bytes is too large");
        }
        return new Tensor(tensor.name(), tensor.layout(), tensor.shape(), tensor.bytes(), dataStart + tensor.offset());
    }

    private void checkExtent(List<Tensor> tensors) {
        List<Tensor> byOffset = tensors.stream()
                .filter(tensor -> tensor.bytes() > 0)
                .sorted(Comparator.comparingLong(Tensor::offset))
                .toList();
        hasData = byOffset.isEmpty() || cursor.remaining() > 0;
        long end = dataStart;
        String before = "";
        for (Tensor tensor : byOffset) {
            cursor.enter("tensor", tensor.name());
            if (tensor.offset() < end) {
                throw cursor.corrupt(
                        "offset " + (tensor.offset() - dataStart) + " lies inside tensor " + GgufCursor.quote(before));
            }
            before = tensor.name();
            end = tensor.end();
            checkPresent(end);
        }
        if (!byOffset.isEmpty()) {
            checkPadding(end);
        }
    }

    private void checkPresent(long end) {
        long fileEnd = dataStart + cursor.remaining();
        if (hasData && end > fileEnd) {
            throw cursor.corrupt("data ends at byte " + end + ", but the file ends after " + fileEnd);
        }
    }

    private void checkPadding(long end) {
        long padding = -end & (alignment - 1);
        long behind = dataStart + cursor.remaining() - end;
        if (hasData && behind > 0 && behind < padding) {
            throw cursor.corrupt(
                    "data is followed by " + behind + " of " + padding + " bytes of padding: the file is cut off");
        }
    }
}
