package dev.tandem.drafts.dflash;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.Metadata;
import dev.tandem.spi.model.ModelView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checked access to the keys of a drafter's file. */
final class Keys {
    private static final int MOST_TAPS = 64;
    private static final int LARGEST_BLOCK = 256;
    /** Tensors of related methods that compute something else. */
    private static final Set<String> FOREIGN = Set.of(
            "d2t",
            "t2d",
            "markov_w1",
            "conf_proj",
            "selector_hidden",
            "attn_gate",
            "attn_sinks",
            "attn_conv_base",
            "dflash_aux_hidden_norm");

    private final ModelView file;
    private final Metadata metadata;
    private final Dialect dialect;

    Keys(ModelView file, Dialect dialect) {
        this.file = file;
        this.metadata = file.metadata();
        this.dialect = dialect;
    }

    private String common(String name) {
        return file.architecture() + "." + name;
    }

    private String own(String name) {
        return dialect.key(file.architecture(), name);
    }

    ModelFileException wrong(String name, String what) {
        return new ModelFileException(
                ErrorCode.MODEL_INCONSISTENT, file.id().file() + ": metadata key " + common(name) + ": " + what);
    }

    private ModelFileException missing(String key) {
        return new ModelFileException(
                ErrorCode.MODEL_INCONSISTENT, file.id().file() + ": metadata key " + key + " is missing");
    }

    /** A size that must be there. */
    int size(String name, int most) {
        return checked(common(name), metadata.integer(common(name)), 1, most);
    }

    private int checked(String key, Optional<Long> value, int least, int most) {
        long found = value.orElseThrow(() -> missing(key));
        if (found < least || found > most) {
            throw new ModelFileException(
                    ErrorCode.MODEL_INCONSISTENT,
                    file.id().file() + ": metadata key " + key + ": " + found + " is not in " + least + ".." + most);
        }
        return Math.toIntExact(found);
    }

    double real(String name) {
        double value = metadata.real(common(name)).orElseThrow(() -> missing(common(name)));
        if (!(value > 0) || Double.isInfinite(value)) {
            throw wrong(name, value + " is not positive");
        }
        return value;
    }

    Optional<Boolean> flag(String name) {
        return metadata.flag(common(name));
    }

    int block() {
        return checked(own("block_size"), metadata.integer(own("block_size")), 2, LARGEST_BLOCK);
    }

    int maskToken() {
        String tokenizerKey = "tokenizer.ggml.mask_token_id";
        Optional<Long> own = metadata.integer(own("mask_token_id"));
        return checked(tokenizerKey, own.or(() -> metadata.integer(tokenizerKey)), 0, Integer.MAX_VALUE);
    }

    /** Layers of the target, from 0, whose outputs are read. */
    List<Integer> taps() {
        String key = dialect == Dialect.SHIFTED ? own("target_layers") : own("target_layer_ids");
        List<Long> stored = metadata.integers(key).orElseThrow(() -> missing(key));
        if (stored.isEmpty() || stored.size() > MOST_TAPS) {
            throw new ModelFileException(
                    ErrorCode.MODEL_INCONSISTENT,
                    file.id().file() + ": metadata key " + key + ": " + stored.size() + " layers, not 1 to "
                            + MOST_TAPS);
        }
        int shift = dialect == Dialect.SHIFTED ? 1 : 0;
        return stored.stream()
                .map(layer -> checked(key, Optional.of(layer), shift, 1 << 16) - shift)
                .toList();
    }

    /** Windows by layer; the pattern is a list of flags, or all layers slide. */
    List<Integer> windows(int layers) {
        int window = metadata.integer(common("attention.sliding_window"))
                .map(w -> checked(common("attention.sliding_window"), Optional.of(w), 0, 1 << 28))
                .orElse(0);
        List<Long> pattern = metadata.typeOf(common("attention.sliding_window_pattern"))
                .flatMap(type -> metadata.integers(common("attention.sliding_window_pattern")))
                .orElse(List.of());
        if (!pattern.isEmpty() && pattern.size() < layers) {
            throw wrong("attention.sliding_window_pattern", pattern.size() + " flags for " + layers + " layers");
        }
        List<Integer> windows = new ArrayList<>();
        for (int i = 0; i < layers; i++) {
            windows.add(pattern.isEmpty() || pattern.get(i) != 0 ? window : 0);
        }
        return windows;
    }

    /** Refuses files whose guesses would silently be bad. */
    void refuseWhatIsNotUnderstood() {
        file.tensors().stream()
                .filter(tensor ->
                        FOREIGN.stream().anyMatch(name -> tensor.name().contains(name)))
                .findFirst()
                .ifPresent(tensor -> {
                    throw unsupported("tensor " + tensor.name());
                });
        Optional<String> scaling = metadata.text(common("rope.scaling.type")).filter(type -> !type.equals("none"));
        if (scaling.isPresent()) {
            throw unsupported("rope scaling " + scaling.get());
        }
    }

    private ModelFileException unsupported(String what) {
        return new ModelFileException(
                ErrorCode.MODEL_UNSUPPORTED,
                file.id().file() + ": " + what
                        + " belongs to a drafting method or variant that dflash does not compute",
                "Use a plain DFlash drafter for this model.");
    }
}
