package dev.tandem.runtime.synthetic;

import dev.tandem.runtime.files.OutputFile;
import dev.tandem.runtime.gguf.GgufWriter;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.model.DType;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/** A model with random weights in the shape of a published one. It has no tokenizer, so it runs from token ids. */
public final class SyntheticModel {
    private static final List<Shape> SHAPES = List.of(
            Shape.qwen3("0.6b", 28, 1024, 3072, 16, true),
            Shape.qwen3("1.7b", 28, 2048, 6144, 16, true),
            Shape.qwen3("4b", 36, 2560, 9728, 32, true),
            Shape.qwen3("8b", 36, 4096, 12_288, 32, false),
            Shape.llama("llama-3.2-1b", 16, 2048, 8192, 32, 64));

    private final Shape shape;
    private final Mixture mixture;

    SyntheticModel(Shape shape, Mixture mixture) {
        this.shape = shape;
        this.mixture = mixture;
    }

    /**
     * The model of a name.
     *
     * @param name shape and type, such as {@code qwen3-0.6b:q8_0}
     * @return the model, of which nothing is made yet
     * @throws UsageException where there is no such shape or type; the remedy lists them
     */
    public static SyntheticModel of(String name) {
        String[] parts = name.toLowerCase(Locale.ROOT).split(":", -1);
        if (parts.length == 2) {
            for (Shape shape : SHAPES) {
                for (Mixture mixture : Mixture.values()) {
                    if (shape.name().equals(parts[0])
                            && mixture.name().toLowerCase(Locale.ROOT).equals(parts[1])) {
                        return new SyntheticModel(shape, mixture);
                    }
                }
            }
        }
        throw new UsageException(
                ErrorCode.BAD_ARGUMENT,
                "no synthetic model " + name,
                "Give SHAPE:TYPE; shapes are "
                        + SHAPES.stream().map(Shape::name).collect(Collectors.joining(", ")) + "; types are "
                        + Arrays.stream(Mixture.values())
                                .map(type -> type.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", "))
                        + ".");
    }

    /**
     * Name of the model.
     *
     * @return such as {@code qwen3-0.6b:q8_0}
     */
    public String name() {
        return shape.name() + ":" + mixture.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Size of the weights in the file.
     *
     * @return bytes, without the header
     */
    public long bytes() {
        return tensors(0).stream().mapToLong(GgufWriter.Tensor::bytes).sum();
    }

    /**
     * Writes the model as a GGUF file, completely or not at all.
     *
     * @param file is replaced
     * @param seed of the weights; the same seed gives the same file
     * @param progress hears how many bytes are written, now and then
     * @throws UsageException where it cannot be written; an earlier file of that name is then unchanged
     */
    public void write(Path file, long seed, LongConsumer progress) {
        try (OutputFile output = OutputFile.prepare(file)) {
            output.write(channel -> GgufWriter.write(
                    new Reporting(Channels.newOutputStream(channel), progress), metadata(), tensors(seed)));
        }
    }

    private SequencedMap<String, Object> metadata() {
        SequencedMap<String, Object> metadata = new LinkedHashMap<>();
        String prefix = shape.architecture() + ".";
        metadata.put("general.architecture", shape.architecture());
        metadata.put("general.name", name() + " with random weights");
        metadata.put("general.file_type", mixture.fileType());
        metadata.put("general.quantization_version", 2);
        metadata.put("tokenizer.ggml.model", "none");
        metadata.put(prefix + "vocab_size", shape.vocabulary());
        metadata.put(prefix + "block_count", shape.layers());
        metadata.put(prefix + "context_length", shape.trainedContext());
        metadata.put(prefix + "embedding_length", shape.width());
        metadata.put(prefix + "feed_forward_length", shape.feedForward());
        metadata.put(prefix + "attention.head_count", shape.heads());
        metadata.put(prefix + "attention.head_count_kv", shape.kvHeads());
        metadata.put(prefix + "attention.key_length", shape.headDim());
        metadata.put(prefix + "attention.value_length", shape.headDim());
        metadata.put(prefix + "attention.layer_norm_rms_epsilon", shape.epsilon());
        metadata.put(prefix + "rope.freq_base", shape.ropeBase());
        metadata.put(prefix + "rope.dimension_count", shape.headDim());
        return metadata;
    }

    private List<GgufWriter.Tensor> tensors(long seed) {
        List<GgufWriter.Tensor> tensors = new ArrayList<>();
        int width = shape.width();
        int queries = shape.heads() * shape.headDim();
        int keys = shape.kvHeads() * shape.headDim();
        tensors.add(matrix(
                "token_embd.weight",
                shape.tied() ? mixture.output() : mixture.type(),
                shape.vocabulary(),
                width,
                seed));
        for (int layer = 0; layer < shape.layers(); layer++) {
            String block = "blk." + layer + ".";
            DType type = mixture.type();
            DType sensitive = mixture.sensitive(layer, shape.layers());
            tensors.add(ones(block + "attn_norm.weight", width));
            tensors.add(matrix(block + "attn_q.weight", type, queries, width, seed));
            tensors.add(matrix(block + "attn_k.weight", type, keys, width, seed));
            tensors.add(matrix(block + "attn_v.weight", sensitive, keys, width, seed));
            if (shape.headNorms()) {
                tensors.add(ones(block + "attn_q_norm.weight", shape.headDim()));
                tensors.add(ones(block + "attn_k_norm.weight", shape.headDim()));
            }
            tensors.add(matrix(block + "attn_output.weight", type, width, queries, seed));
            tensors.add(ones(block + "ffn_norm.weight", width));
            tensors.add(matrix(block + "ffn_gate.weight", type, shape.feedForward(), width, seed));
            tensors.add(matrix(block + "ffn_up.weight", type, shape.feedForward(), width, seed));
            tensors.add(matrix(block + "ffn_down.weight", sensitive, width, shape.feedForward(), seed));
        }
        tensors.add(ones("output_norm.weight", width));
        if (!shape.tied()) {
            tensors.add(matrix("output.weight", mixture.output(), shape.vocabulary(), width, seed));
        }
        return tensors;
    }

    private static GgufWriter.Tensor matrix(String name, DType type, int rows, int columns, long seed) {
        long elements = (long) rows * columns;
        // Another tensor has other numbers, whatever its place in the file.
        long own = seed * 31 + name.hashCode();
        return new GgufWriter.Tensor(
                name, type, List.of((long) rows, (long) columns), new RandomWeights(type, elements, columns, own));
    }

    private static GgufWriter.Tensor ones(String name, int size) {
        return new GgufWriter.Tensor(name, DType.F32, List.of((long) size), out -> {
            ByteBuffer bytes = ByteBuffer.allocate(4 * size).order(ByteOrder.LITTLE_ENDIAN);
            while (bytes.hasRemaining()) {
                bytes.putFloat(1f);
            }
            out.write(bytes.array());
        });
    }

    /** Tells how many bytes went through. */
    private static final class Reporting extends FilterOutputStream {
        private final LongConsumer progress;
        private long written;

        Reporting(OutputStream out, LongConsumer progress) {
            super(out);
            this.progress = progress;
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            out.write(bytes, from, count);
            written += count;
            progress.accept(written);
        }
    }
}
