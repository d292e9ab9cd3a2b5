package dev.tandem.runtime;

import dev.tandem.runtime.ModelOptions.DeviceFailure;
import dev.tandem.runtime.decode.Target;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.Architectures;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.model.LanguageModel.GraphOptions;
import dev.tandem.runtime.model.ModelShape;
import dev.tandem.runtime.placement.PlacedGraph;
import dev.tandem.runtime.placement.Placement;
import dev.tandem.runtime.select.BackendChoice;
import dev.tandem.runtime.select.BackendRequest;
import dev.tandem.runtime.select.BackendSelector;
import dev.tandem.runtime.select.ModelNeeds;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.runtime.tokenizer.Tokenizers;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.CompileOptions;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** From a file to a model that runs: read, choose a backend, place, load, compile. */
final class ModelLoader {
    private final Engine engine;
    private final GgufFile file;
    private final ModelOptions options;

    private ModelLoader(Engine engine, GgufFile file, ModelOptions options) {
        this.engine = engine;
        this.file = file;
        this.options = options;
    }

    static Model load(Engine engine, Path path, ModelOptions options) {
        long start = System.nanoTime();
        GgufFile file = GgufFile.open(path);
        try {
            return new ModelLoader(engine, file, options).load(start);
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    private Model load(long start) {
        if (!file.hasData()) {
            throw new ModelFileException(
                    ErrorCode.FILE_CORRUPT, file.id().file() + ": the file ends before its tensors");
        }
        LanguageModel model = Architectures.read(file);
        // Beside the weights: in a fresh JVM the tokenizer takes as long as they do.
        CompletableFuture<Tokenizer> tokenizing = CompletableFuture.supplyAsync(
                () -> Tokenizers.from(file), task -> new Thread(task, "tandem-tokenizer").start());
        int context = contextRows(model.shape());
        Graph graph = model.forward(new GraphOptions(options.effectiveKvType(), List.of(), context));
        BackendChoice choice = choose(weightBytes() + context * ModelShape.bytesPerPosition(graph));
        Backend chosen = engine.backend(choice.backend(), choice.device(), options.threads());
        Backend reference = engine.reference(options.threads());
        LoadedTarget loaded = build(graph, model.shape(), context, chosen, reference);
        Tokenizer tokenizer;
        try {
            tokenizer = result(tokenizing);
            checkVocabulary(tokenizer, model.shape());
        } catch (RuntimeException | Error e) {
            loaded.close();
            throw e;
        }
        // After the loss of the device the same graph is placed on the reference alone.
        TargetSwitch targets = new TargetSwitch(
                engine.lane(),
                loaded,
                options.onDeviceFailure() == DeviceFailure.CPU && !chosen.equals(reference)
                        ? () -> build(graph, model.shape(), context, reference, reference)
                        : null);
        return new Model(file, model, tokenizer, targets, choice, options, System.nanoTime() - start);
    }

    private static Tokenizer result(CompletableFuture<Tokenizer> tokenizing) {
        try {
            return tokenizing.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    private LoadedTarget build(Graph graph, ModelShape shape, int context, Backend chosen, Backend reference) {
        int stepRows = Math.min(options.stepRows(), context);
        engine.lane().lock();
        try {
            Placement placement = Placement.of(graph, chosen, reference, options.precision());
            checkSupport(placement);
            Map<Backend, List<WeightSet>> weights = loadWeights(placement);
            try {
                PlacedGraph placed =
                        new PlacedGraph(placement, new CompileOptions(options.precision(), true, stepRows), weights);
                Target target = new Target(placed, shape.vocabulary(), context, stepRows, engine.lane());
                return new LoadedTarget(target, placement, weights);
            } catch (RuntimeException | Error e) {
                weights.values().forEach(sets -> sets.forEach(WeightSet::close));
                throw e;
            }
        } finally {
            engine.lane().unlock();
        }
    }

    private BackendChoice choose(long neededBytes) {
        return new BackendSelector(engine.backends(), engine.plugins().report(), new ModelNeeds(neededBytes))
                .select(request());
    }

    private BackendRequest request() {
        BackendRequest request = options.backend().equals(BackendRequest.AUTO)
                ? BackendRequest.auto()
                : BackendRequest.named(options.backend());
        return options.device().map(request::onDevice).orElse(request);
    }

    private void checkVocabulary(Tokenizer tokenizer, ModelShape shape) {
        if (tokenizer.vocabularySize() > shape.vocabulary()) {
            throw new ModelFileException(
                    ErrorCode.MODEL_INCONSISTENT,
                    file.id().file() + ": the tokenizer has " + tokenizer.vocabularySize()
                            + " tokens, but tensor token_embd.weight has " + shape.vocabulary() + " rows");
        }
    }

    private int contextRows(ModelShape shape) {
        if (options.contextRows() < 0) {
            throw new UsageException(ErrorCode.BAD_ARGUMENT, "--ctx " + options.contextRows() + " is negative");
        }
        if (options.stepRows() < 1) {
            throw new UsageException(ErrorCode.BAD_ARGUMENT, "steps of " + options.stepRows() + " rows");
        }
        return options.contextRows() == 0 ? shape.contextLength() : options.contextRows();
    }

    private long weightBytes() {
        return file.tensors().stream().mapToLong(tensor -> tensor.bytes()).sum();
    }

    private void checkSupport(Placement placement) {
        for (Placement.Part part : placement.parts()) {
            for (Node node : part.graph().nodes()) {
                if (part.backend().supports(node, options.precision()) instanceof Backend.Support.No no) {
                    throw new ModelFileException(
                            ErrorCode.MODEL_UNSUPPORTED,
                            file.id().file() + ": " + node.label() + ": " + no.reason() + " on "
                                    + part.backend().device().id());
                }
            }
        }
    }

    private Map<Backend, List<WeightSet>> loadWeights(Placement placement) {
        Map<Backend, List<Graph>> graphs = new LinkedHashMap<>();
        for (Placement.Part part : placement.parts()) {
            graphs.computeIfAbsent(part.backend(), b -> new ArrayList<>()).add(part.graph());
        }
        Map<Backend, List<WeightSet>> weights = new LinkedHashMap<>();
        try {
            graphs.forEach((backend, pieces) -> weights.put(
                    backend,
                    List.of(backend.load(
                            new WeightRequest(file, pieces, options.precision(), options.bytesLoaded())))));
            return weights;
        } catch (RuntimeException | Error e) {
            weights.values().forEach(sets -> sets.forEach(WeightSet::close));
            throw e;
        }
    }
}
