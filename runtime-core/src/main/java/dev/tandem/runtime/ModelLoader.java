package dev.tandem.runtime;

import dev.tandem.runtime.ModelOptions.DeviceFailure;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.Architectures;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.model.ModelShape;
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
import dev.tandem.spi.graph.Graph;
import java.nio.file.Path;
import java.util.List;
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
        TargetBuilder builder = new TargetBuilder(file, model, options, contextRows(model.shape()), engine.lane());
        Graph graph = builder.forward(List.of());
        BackendChoice choice = choose(weightBytes() + builder.contextRows() * ModelShape.bytesPerPosition(graph));
        Backend chosen = engine.backend(choice.backend(), choice.device(), options.threads());
        Backend reference = engine.reference(options.threads());
        LoadedTarget loaded = builder.build(graph, chosen, reference);
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
                        ? () -> builder.build(graph, reference, reference)
                        : null);
        return new Model(file, builder, tokenizer, targets, choice, System.nanoTime() - start);
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
}
