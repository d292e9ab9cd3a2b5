package dev.tandem.gpu.fake;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.runtime.decode.Taps;
import dev.tandem.runtime.decode.Target;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.Architectures;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.placement.Site;
import dev.tandem.runtime.state.Sequence;
import dev.tandem.spi.Availability.Available;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.spi.backend.BackendProvider.OpenOptions;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.model.DType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/** A whole model on a backend, with another for what that one refuses. */
public final class PlacedModel implements AutoCloseable {
    private static final int CONTEXT_ROWS = 600;
    private static final int STEP_ROWS = 128;

    private final Site site;
    private final Target target;

    /** A backend on the first device of a provider. */
    static Backend open(BackendProvider provider) {
        Available available = (Available) provider.probe();
        return provider.open(available.devices().getFirst(), OpenOptions.DEFAULT);
    }

    /** A model beside the repository; without it the test is skipped, or fails where the data is required. */
    static GgufFile file(String name) {
        Path file = Path.of(System.getProperty("tandem.testdata", "testdata")).resolve(name);
        String message = "golden data " + file + " is absent";
        if (Boolean.getBoolean("tandem.testdata.required")) {
            assertTrue(Files.exists(file), message);
        }
        assumeTrue(Files.exists(file), message);
        return GgufFile.open(file);
    }

    /**
     * Loads a model.
     *
     * @param file stays the caller's
     * @param chosen where it runs
     * @param reference for nodes that the first refuses
     * @param precision of the arithmetic
     */
    public PlacedModel(GgufFile file, Backend chosen, Backend reference, Precision precision) {
        LanguageModel model = Architectures.read(file);
        DType kv = precision == Precision.FAST ? DType.F16 : DType.F32;
        Graph graph = model.forward(new LanguageModel.GraphOptions(kv, List.of(), CONTEXT_ROWS));
        this.site = Site.load(graph, file, chosen, reference, precision, bytes -> {});
        this.target = new Target(
                site.compile(graph, STEP_ROWS),
                model.shape().vocabulary(),
                CONTEXT_ROWS,
                STEP_ROWS,
                new ReentrantLock());
    }

    /** The target, ready to run. */
    public Target target() {
        return target;
    }

    /** Nodes that the chosen backend refused. */
    public int refused() {
        return site.placement().refused().size();
    }

    /** Bits of the logits after every token, the prompt being run in pieces of a size. */
    public int[][] bits(int[] tokens, int piece) {
        int[][] rows = new int[tokens.length][];
        Sequence sequence = target.newSequence();
        float[] logits = new float[Math.min(piece, tokens.length) * target.vocabulary()];
        for (int at = 0; at < tokens.length; at += piece) {
            int[] part = Arrays.copyOfRange(tokens, at, Math.min(tokens.length, at + piece));
            target.run(sequence, part, all(part.length), new Taps(0), logits);
            for (int i = 0; i < part.length; i++) {
                rows[at + i] = row(logits, i);
            }
        }
        target.close(sequence);
        return rows;
    }

    /** Bits of the logits of every row of a tree after some tokens. */
    public int[][] treeBits(int[] history, int[] nodes, int[] parents) {
        Sequence sequence = target.newSequence();
        target.run(sequence, history, new int[0], new Taps(0), new float[0]);
        float[] logits = new float[nodes.length * target.vocabulary()];
        Target.Slice tree = new Target.Slice(sequence, StepKind.VERIFY, nodes, parents, all(nodes.length));
        target.step(List.of(tree), new Taps(0), logits);
        target.close(sequence);
        return IntStream.range(0, nodes.length).mapToObj(i -> row(logits, i)).toArray(int[][]::new);
    }

    private static int[] all(int count) {
        return IntStream.range(0, count).toArray();
    }

    private int[] row(float[] logits, int row) {
        int vocabulary = target.vocabulary();
        return IntStream.range(row * vocabulary, (row + 1) * vocabulary)
                .map(i -> Float.floatToRawIntBits(logits[i]))
                .toArray();
    }

    @Override
    public void close() {
        target.close();
        site.close();
    }
}
