package dev.tandem.runtime.model;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.ModelView;
import java.util.List;
import java.util.Optional;

/** Typed, bounded access to the keys {@code <architecture>.*} of a file. */
final class Hyperparameters {
    /** No size in a model file may exceed this; keeps products of two inside a long and of three near it. */
    private static final long LARGEST = 1L << 28;

    /** With at most 65,536 heads this keeps query, key and value columns together inside an int. */
    private static final int LARGEST_HEAD = 8192;

    private final ModelView file;
    private final String prefix;

    Hyperparameters(ModelView file) {
        this.file = file;
        this.prefix = file.architecture() + ".";
    }

    /** Blocks of tensors in the file: the layers, then those that predict further tokens. */
    int blocks() {
        return required("block_count", 1, 4096);
    }

    /** Layers of the model itself. */
    int layers() {
        int predicting = positive("nextn_predict_layers").orElse(0);
        if (predicting >= blocks()) {
            throw inconsistent("nextn_predict_layers", predicting + " leaves no layer of " + blocks());
        }
        return blocks() - predicting;
    }

    int hidden() {
        return required("embedding_length", 1, LARGEST);
    }

    int feedForward() {
        return required("feed_forward_length", 1, LARGEST);
    }

    int contextLength() {
        return required("context_length", 1, LARGEST);
    }

    int heads() {
        String key = "attention.head_count";
        return isArray(key) ? Math.toIntExact(sameInEveryLayer(key)) : required(key, 1, 65_536);
    }

    /** The one value above 0 of a key that has an entry per layer; 0 is a layer without. */
    private long sameInEveryLayer(String key) {
        List<Long> values = integers(key).orElseThrow().stream()
                .filter(value -> value != 0)
                .distinct()
                .toList();
        if (values.size() != 1 || values.getFirst() < 1 || values.getFirst() > 65_536) {
            throw inconsistent(key, values + " is not one number in 1..65536 that all layers share");
        }
        return values.getFirst();
    }

    int kvHeads() {
        int heads = heads();
        String key = "attention.head_count_kv";
        int kvHeads = isArray(key)
                ? Math.toIntExact(sameInEveryLayer(key))
                : positive(key).orElse(heads);
        if (kvHeads > heads || heads % kvHeads != 0) {
            throw inconsistent(
                    "attention.head_count_kv",
                    kvHeads + " does not divide " + prefix + "attention.head_count = " + heads);
        }
        return kvHeads;
    }

    int keyDim() {
        return headDim("attention.key_length");
    }

    int valueDim() {
        return headDim("attention.value_length");
    }

    int headDim(String key) {
        Optional<Integer> columns = positive(key);
        if (columns.isPresent() && columns.get() > LARGEST_HEAD) {
            throw inconsistent(key, columns.get() + " is not in 1.." + LARGEST_HEAD);
        }
        return columns.orElseGet(this::hiddenPerHead);
    }

    /**
     * Scale of the scores in Gemma 2 and 3: what the file states, else 1 / sqrt(hidden / heads) for the one size of
     * that many layers, else 1 / sqrt(key columns).
     */
    float queryScale(int layersOfTheException) {
        return positiveReal("attention.scale")
                .orElseGet(() -> 1.0 / StrictMath.sqrt(layers() == layersOfTheException ? hiddenPerHead() : keyDim()))
                .floatValue();
    }

    private int hiddenPerHead() {
        if (hidden() % heads() != 0) {
            throw inconsistent(
                    "embedding_length",
                    hidden() + " is no multiple of " + prefix + "attention.head_count = " + heads());
        }
        return hidden() / heads();
    }

    float rmsEpsilon() {
        double epsilon =
                real("attention.layer_norm_rms_epsilon").orElseThrow(() -> missing("attention.layer_norm_rms_epsilon"));
        if (!(epsilon >= 0 && epsilon < 1)) {
            throw inconsistent("attention.layer_norm_rms_epsilon", epsilon + " is not in 0..1");
        }
        return (float) epsilon;
    }

    int experts() {
        return required("expert_count", 1, 65_536);
    }

    /** Columns between an expert's projections. */
    int expertWidth() {
        return positive("expert_feed_forward_length").orElseGet(this::feedForward);
    }

    int expertsUsed() {
        return required("expert_used_count", 1, experts());
    }

    /** A size that must be there. */
    int required(String key, long least, long most) {
        long value = file.metadata().integer(prefix + key).orElseThrow(() -> missing(key));
        if (value < least || value > most) {
            throw inconsistent(key, value + " is not in " + least + ".." + most);
        }
        return Math.toIntExact(value);
    }

    /** A size where the key is there and above 0; converters write 0 for "not used". */
    Optional<Integer> positive(String key) {
        Optional<Long> value = file.metadata().integer(prefix + key);
        if (value.isPresent() && (value.get() < 0 || value.get() > LARGEST)) {
            throw inconsistent(key, value.get() + " is not in 0.." + LARGEST);
        }
        return value.filter(v -> v > 0).map(Math::toIntExact);
    }

    /** A finite number. */
    Optional<Double> real(String key) {
        Optional<Double> value = file.metadata().real(prefix + key);
        if (value.isPresent() && !Double.isFinite(value.get())) {
            throw inconsistent(key, value.get() + " is not finite");
        }
        return value;
    }

    /** A finite number where the key is there and above 0; converters write 0 for "not used". */
    Optional<Double> positiveReal(String key) {
        return real(key).filter(value -> value > 0);
    }

    Optional<String> text(String key) {
        return file.metadata().text(prefix + key);
    }

    Optional<Boolean> flag(String key) {
        return file.metadata().flag(prefix + key);
    }

    /** Whether the key holds an array, for keys that may be one number or one per layer. */
    boolean isArray(String key) {
        return file.metadata()
                .typeOf(prefix + key)
                .filter(type -> type.endsWith("]"))
                .isPresent();
    }

    Optional<List<Long>> integers(String key) {
        return file.metadata().integers(prefix + key);
    }

    ModelFileException missing(String key) {
        return new ModelFileException(
                ErrorCode.MODEL_INCONSISTENT, file.id().file() + ": metadata key " + prefix + key + " is missing");
    }

    ModelFileException inconsistent(String key, String why) {
        return new ModelFileException(
                ErrorCode.MODEL_INCONSISTENT, file.id().file() + ": metadata key " + prefix + key + ": " + why);
    }
}
