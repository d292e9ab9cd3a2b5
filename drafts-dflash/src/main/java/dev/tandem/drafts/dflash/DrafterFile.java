package dev.tandem.drafts.dflash;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A drafter's file in one form, whichever converter wrote it.
 *
 * @param file the open file
 * @param sizes of its layers
 * @param block rows of a block: the current token and the masks
 * @param maskToken id whose embedding stands for an unknown token
 * @param taps layers of the target, from 0, whose outputs are the context
 * @param windows per layer, positions seen; 0 for all
 * @param causal per layer, whether a row of the block sees earlier rows only
 */
record DrafterFile(
        ModelView file,
        Sizes sizes,
        int block,
        int maskToken,
        List<Integer> taps,
        List<Integer> windows,
        List<Boolean> causal) {
    /** Copies the lists. */
    DrafterFile {
        taps = List.copyOf(taps);
        windows = List.copyOf(windows);
        causal = List.copyOf(causal);
    }

    /**
     * Sizes of the layers.
     *
     * @param layers number of layers
     * @param hidden columns of a hidden state
     * @param feedForward columns between the feed-forward matrices
     * @param heads query heads
     * @param kvHeads key and value heads
     * @param headDim columns of a head
     * @param epsilon of the norms
     * @param ropeBase frequency base
     */
    record Sizes(
            int layers,
            int hidden,
            int feedForward,
            int heads,
            int kvHeads,
            int headDim,
            float epsilon,
            double ropeBase) {}

    /**
     * Reads and checks a file; loads nothing.
     *
     * @param file whose architecture {@link Dialect} knows
     * @throws ModelFileException where it is inconsistent or of a kind that is not supported
     */
    static DrafterFile read(ModelView file) {
        Dialect dialect = Dialect.of(file).orElseThrow();
        Keys keys = new Keys(file, dialect);
        int layers = keys.size("block_count", 256);
        int headDim = keys.size("attention.key_length", 4096);
        Sizes sizes = new Sizes(
                layers,
                keys.size("embedding_length", 1 << 20),
                keys.size("feed_forward_length", 1 << 22),
                keys.size("attention.head_count", 4096),
                keys.size("attention.head_count_kv", 4096),
                headDim,
                (float) keys.real("attention.layer_norm_rms_epsilon"),
                keys.real("rope.freq_base"));
        if (sizes.heads() % sizes.kvHeads() != 0 || headDim % 2 != 0) {
            throw keys.wrong(
                    "attention.head_count",
                    sizes.heads() + " heads of " + headDim + " columns over " + sizes.kvHeads() + " key heads");
        }
        keys.refuseWhatIsNotUnderstood();
        List<Integer> windows = keys.windows(layers);
        Optional<Boolean> causal = keys.flag("attention.causal");
        List<Boolean> causalLayers =
                windows.stream().map(window -> causal.orElse(window > 0)).toList();
        return new DrafterFile(file, sizes, keys.block(), keys.maskToken(), keys.taps(), windows, causalLayers);
    }

    RopeSpec rope() {
        return new RopeSpec(sizes.ropeBase(), sizes.headDim(), new RopeSpec.Scaling.None(), List.of());
    }

    /**
     * A tensor under any of its names.
     *
     * @param shape slowest dimension first
     * @param names the one that is there is taken
     * @throws ModelFileException where none is there or its shape is another
     */
    WeightRef tensor(List<Long> shape, String... names) {
        for (String name : names) {
            Optional<TensorInfo> tensor = file.tensor(name);
            if (tensor.isPresent()) {
                if (!tensor.get().shape().equals(shape)) {
                    throw new ModelFileException(
                            ErrorCode.MODEL_INCONSISTENT,
                            file.id().file() + ": tensor " + name + " has shape "
                                    + tensor.get().shape() + ", but must have " + shape);
                }
                return WeightRef.of(file, tensor.get());
            }
        }
        throw new ModelFileException(
                ErrorCode.MODEL_INCONSISTENT,
                file.id().file() + ": tensor " + names[0] + " of shape " + shape + " is missing");
    }

    /** The same, of a layer. */
    WeightRef layerTensor(int layer, List<Long> shape, String... names) {
        String[] full = new String[names.length];
        for (int i = 0; i < names.length; i++) {
            full[i] = "blk." + layer + "." + names[i] + ".weight";
        }
        return tensor(shape, full);
    }

    /** Bytes of all tensors. */
    long bytes() {
        return file.tensors().stream().mapToLong(TensorInfo::bytes).sum();
    }

    /** What was understood, one line each. */
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        notes.add(file.id().file() + ": " + sizes.layers() + " layers, hidden " + sizes.hidden() + ", block of " + block
                + ", mask token " + maskToken);
        notes.add("reads the outputs of layers " + taps + " of the target, counted from 0");
        if (windows.stream().anyMatch(window -> window > 0)) {
            notes.add("windows by layer (0: all) " + windows);
        }
        return notes;
    }
}
