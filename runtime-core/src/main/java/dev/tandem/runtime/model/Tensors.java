package dev.tandem.runtime.model;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the tensors of a file and checks their shapes. */
final class Tensors {
    private final ModelView file;

    Tensors(ModelView file) {
        this.file = file;
    }

    ModelView file() {
        return file;
    }

    boolean has(String name) {
        return file.tensor(name).isPresent();
    }

    /** A tensor that must be there with this shape, slowest dimension first. */
    WeightRef required(String name, long... shape) {
        return optional(name, shape)
                .orElseThrow(() -> new ModelFileException(
                        ErrorCode.MODEL_INCONSISTENT,
                        file.id().file() + ": tensor " + name + " of shape " + list(shape) + " is missing"));
    }

    /** A tensor that, where it is there, has this shape. */
    Optional<WeightRef> optional(String name, long... shape) {
        Optional<TensorInfo> tensor = file.tensor(name);
        if (tensor.isPresent() && !tensor.get().shape().equals(list(shape))) {
            throw new ModelFileException(
                    ErrorCode.MODEL_INCONSISTENT,
                    file.id().file() + ": tensor " + name + " has shape "
                            + tensor.get().shape() + ", but the metadata ask for " + list(shape));
        }
        return tensor.map(t -> WeightRef.of(file, t));
    }

    private static List<Long> list(long... shape) {
        List<Long> list = new ArrayList<>();
        for (long size : shape) {
            list.add(size);
        }
        return list;
    }

    /** Rows of a matrix of which only the columns are known. */
    int rows(String name, long columns) {
        TensorInfo tensor = file.tensor(name)
                .orElseThrow(() -> new ModelFileException(
                        ErrorCode.MODEL_INCONSISTENT, file.id().file() + ": tensor " + name + " is missing"));
        if (tensor.shape().size() != 2 || tensor.columns() != columns || tensor.rows() > Integer.MAX_VALUE) {
            throw new ModelFileException(
                    ErrorCode.MODEL_INCONSISTENT,
                    file.id().file() + ": tensor " + name + " has shape " + tensor.shape()
                            + ", but the metadata ask for [rows, " + columns + "]");
        }
        return Math.toIntExact(tensor.rows());
    }
}
