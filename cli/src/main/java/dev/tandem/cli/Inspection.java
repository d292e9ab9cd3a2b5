package dev.tandem.cli;

import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.Architectures;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.model.LanguageModel.GraphOptions;
import dev.tandem.runtime.model.LayerFacts;
import dev.tandem.runtime.model.ModelShape;
import dev.tandem.runtime.model.WatchedModel;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.runtime.tokenizer.Tokenizers;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.TensorInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What can be learnt from the header of a model file.
 *
 * @param file the open file
 * @param understood as its architecture understood it; empty where it cannot
 * @param tokenizer text to tokens; empty where it is not supported
 * @param problems why the model cannot run, one for each thing that is empty
 * @param types sums over the tensors of each type, by name
 * @param memory bytes needed to run; empty without a model
 */
record Inspection(
        GgufFile file,
        Optional<Understood> understood,
        Optional<Tokenizer> tokenizer,
        List<ModelFileException> problems,
        List<TypeTotal> types,
        Optional<Memory> memory) {

    /**
     * Sums over the tensors of one type.
     *
     * @param type its name
     * @param tensors how many
     * @param parameters elements of all
     * @param bytes size of all
     */
    record TypeTotal(String type, int tensors, long parameters, long bytes) {
        TypeTotal plus(long moreParameters, long moreBytes) {
            return new TypeTotal(type, tensors + 1, parameters + moreParameters, bytes + moreBytes);
        }
    }

    /**
     * A model that can run.
     *
     * @param model the model
     * @param graph its forward graph, with keys and values as they are stored by default
     * @param unusedKeys keys of the architecture that have no effect
     * @param unusedTensors tensors that have none
     */
    record Understood(LanguageModel model, Graph graph, List<String> unusedKeys, List<String> unusedTensors) {
        private static final String VOCABULARY_KEY = ".vocab_size";

        static Understood of(GgufFile file) {
            WatchedModel watched = new WatchedModel(file);
            LanguageModel model = Architectures.read(watched);
            Graph graph = model.forward(new GraphOptions(DType.F16, List.of()));
            String vocabulary = file.architecture() + VOCABULARY_KEY;
            List<String> unusedKeys = watched.unusedKeys().stream()
                    .filter(key -> !key.equals(vocabulary) || !repeatsTheVocabulary(file, key, model))
                    .toList();
            return new Understood(model, graph, unusedKeys, watched.unusedTensors(graph));
        }

        /** The rows of the embedding say it already. */
        private static boolean repeatsTheVocabulary(GgufFile file, String key, LanguageModel model) {
            return attempt(() -> file.metadata().integer(key).orElse(0L))
                    .value()
                    .filter(size -> size == model.shape().vocabulary())
                    .isPresent();
        }

        List<LayerFacts> layers() {
            return LayerFacts.of(graph);
        }
    }

    /**
     * Memory to run the model.
     *
     * @param contextRows positions that the estimate is for
     * @param weightBytes all weights
     * @param kvF16Bytes keys and values of all positions in f16
     * @param kvF32Bytes the same in f32
     */
    record Memory(int contextRows, long weightBytes, long kvF16Bytes, long kvF32Bytes) {}

    /** One thing of the file, or why it cannot be read. */
    private record Attempt<T>(Optional<T> value, Optional<ModelFileException> problem) {}

    @FunctionalInterface
    private interface Reading<T> {
        T read();
    }

    /** Inspects an open file; {@code contextRows} 0 stands for the model's own context. */
    static Inspection of(GgufFile file, int contextRows) {
        Attempt<Understood> model = attempt(() -> Understood.of(file));
        Attempt<Tokenizer> tokenizer = attempt(() -> Tokenizers.from(file));
        List<ModelFileException> problems = new ArrayList<>();
        model.problem().ifPresent(problems::add);
        tokenizer.problem().ifPresent(problems::add);
        return new Inspection(
                file,
                model.value(),
                tokenizer.value(),
                List.copyOf(problems),
                types(file),
                model.value().map(known -> memory(file, known, contextRows)));
    }

    private static <T> Attempt<T> attempt(Reading<T> reading) {
        try {
            return new Attempt<>(Optional.of(reading.read()), Optional.empty());
        } catch (ModelFileException e) {
            return new Attempt<>(Optional.empty(), Optional.of(e));
        }
    }

    private static List<TypeTotal> types(GgufFile file) {
        Map<String, TypeTotal> totals = new TreeMap<>();
        for (TensorInfo tensor : file.tensors()) {
            add(totals, tensor.type().name(), tensor.shape(), tensor.bytes());
        }
        for (GgufFile.OtherTensor tensor : file.otherTensors()) {
            add(totals, tensor.type(), tensor.shape(), tensor.bytes());
        }
        return List.copyOf(totals.values());
    }

    private static void add(Map<String, TypeTotal> totals, String type, List<Long> shape, long bytes) {
        TypeTotal before = totals.getOrDefault(type, new TypeTotal(type, 0, 0, 0));
        totals.put(type, before.plus(elements(shape), bytes));
    }

    /** Elements of a tensor; an open file's tensors have been checked to be addressable. */
    static long elements(List<Long> shape) {
        return shape.stream().reduce(1L, (a, b) -> a * b);
    }

    private static Memory memory(GgufFile file, Understood known, int contextRows) {
        int rows = contextRows > 0 ? contextRows : known.model().shape().contextLength();
        long weights = file.tensors().stream().mapToLong(TensorInfo::bytes).sum();
        Graph inF32 = known.model().forward(new GraphOptions(DType.F32, List.of()));
        return new Memory(
                rows,
                weights,
                rows * ModelShape.bytesPerPosition(known.graph()),
                rows * ModelShape.bytesPerPosition(inF32));
    }

    /** The model, where it can run. */
    Optional<LanguageModel> model() {
        return understood.map(Understood::model);
    }

    /** Elements of all tensors. */
    long parameters() {
        return types.stream().mapToLong(TypeTotal::parameters).sum();
    }

    /** Size of all tensors. */
    long tensorBytes() {
        return types.stream().mapToLong(TypeTotal::bytes).sum();
    }
}
