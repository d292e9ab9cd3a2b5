package dev.tandem.runtime;

import dev.tandem.backend.cpu.CpuBackend;
import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.runtime.decode.Taps;
import dev.tandem.runtime.decode.Target;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.Architectures;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.placement.PlacedGraph;
import dev.tandem.runtime.placement.Placement;
import dev.tandem.runtime.state.Sequence;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.CompileOptions;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.ModelView;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** A model on a CPU backend with a chosen kernel set and number of threads. */
public final class ModelRunner implements AutoCloseable {
    private static final int STEP_ROWS = 128;

    private final ModelView file;
    private final Backend backend;
    private final WeightSet weights;
    private final Target target;

    public ModelRunner(Path path, Precision precision, Kernels kernels, int threads) {
        this(path, precision, kernels, threads, backend -> backend);
    }

    /** A model on a CPU backend inside another one, such as one that fails. */
    public ModelRunner(Path path, Precision precision, Kernels kernels, int threads, UnaryOperator<Backend> wrapper) {
        this(GgufFile.open(path), precision, kernels, threads, 0, wrapper);
    }

    /** A model that need not be a file, for sequences of a length that is known; 0 for that of the training. */
    public ModelRunner(ModelView file, Precision precision, Kernels kernels, int threads, int context) {
        this(file, precision, kernels, threads, context, backend -> backend);
    }

    private ModelRunner(
            ModelView file,
            Precision precision,
            Kernels kernels,
            int threads,
            int context,
            UnaryOperator<Backend> wrapper) {
        this.file = file;
        LanguageModel model = Architectures.read(file);
        DType kv = precision == Precision.FAST ? DType.F16 : DType.F32;
        Graph graph = model.forward(new LanguageModel.GraphOptions(kv, List.of(), context));
        DeviceInfo device = new DeviceInfo("cpu", "test", DeviceInfo.Kind.CPU, -1, -1, kernels.name());
        backend = wrapper.apply(new CpuBackend(device, kernels, threads));
        weights = backend.load(new WeightRequest(file, List.of(graph), precision, bytes -> {}));
        Placement placement = Placement.of(graph, backend, backend, precision);
        PlacedGraph placed = new PlacedGraph(
                placement, new CompileOptions(precision, true, STEP_ROWS), Map.of(backend, List.of(weights)));
        target = new Target(placed, model.shape().vocabulary(), 4096, STEP_ROWS, new ReentrantLock());
    }

    public ModelView file() {
        return file;
    }

    public Target target() {
        return target;
    }

    /** Bits of the logits after every token, the prompt being run in pieces of a size. */
    public int[][] bits(int[] tokens, int piece) {
        int[][] rows = new int[tokens.length][];
        Sequence sequence = target.newSequence();
        int vocabulary = target.vocabulary();
        float[] logits = new float[Math.min(piece, tokens.length) * vocabulary];
        for (int at = 0; at < tokens.length; at += piece) {
            int count = Math.min(piece, tokens.length - at);
            target.run(
                    sequence,
                    Arrays.copyOfRange(tokens, at, at + count),
                    IntStream.range(0, count).toArray(),
                    new Taps(0),
                    logits);
            for (int i = 0; i < count; i++) {
                rows[at + i] = IntStream.range(i * vocabulary, (i + 1) * vocabulary)
                        .map(j -> Float.floatToRawIntBits(logits[j]))
                        .toArray();
            }
        }
        target.close(sequence);
        return rows;
    }

    @Override
    public void close() {
        target.close();
        weights.close();
        backend.close();
        if (file instanceof GgufFile opened) {
            opened.close();
        }
    }
}
