package dev.tandem.runtime.placement;

import dev.tandem.runtime.Golden;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.Architectures;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.model.LanguageModel.GraphOptions;
import dev.tandem.runtime.state.Sequence;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.CompileOptions;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.draft.DraftPlan.HiddenTap;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.model.DType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** A tiny model placed on two backends, with a tap after its first layer. */
final class PlacedModel implements AutoCloseable {
    private static final int[] PROMPT = {5, 900, 77, 3, 512, 40, 41};
    private static final int[] ANSWER = {8, 9, 10};

    private final GgufFile file;
    private final Graph graph;
    private final Placement placement;
    private final Map<Backend, List<WeightSet>> weights = new LinkedHashMap<>();
    private final PlacedGraph placed;

    PlacedModel(String name, Backend chosen, Backend reference) {
        file = GgufFile.open(Golden.resource("tiny/" + name + ".gguf"));
        graph = graph(file);
        placement = Placement.of(graph, chosen, reference, Precision.FAST);
        Map<Backend, List<Graph>> pieces = new LinkedHashMap<>();
        placement
                .parts()
                .forEach(part -> pieces.computeIfAbsent(part.backend(), b -> new ArrayList<>())
                        .add(part.graph()));
        pieces.forEach((backend, graphs) -> weights.put(
                backend, List.of(backend.load(new WeightRequest(file, graphs, Precision.FAST, bytes -> {})))));
        placed = new PlacedGraph(placement, new CompileOptions(Precision.FAST, true, 16), weights);
    }

    private static Graph graph(GgufFile file) {
        LanguageModel model = Architectures.read(file);
        HiddenTap tap = new HiddenTap(0, HiddenTap.Stage.LAYER_OUTPUT);
        return model.forward(new GraphOptions(DType.F16, List.of(tap)));
    }

    /** The graph that is placed. */
    static Graph graph(String name) {
        try (GgufFile file = GgufFile.open(Golden.resource("tiny/" + name + ".gguf"))) {
            return graph(file);
        }
    }

    Graph graph() {
        return graph;
    }

    Placement placement() {
        return placement;
    }

    /** All outputs of a prompt in two pieces and of some single tokens, by output. */
    Map<String, List<float[]>> outputs() {
        Map<String, List<float[]>> outputs = new TreeMap<>();
        try (Sequence sequence = Sequence.create(placed.slots(), new StateOptions(32, 16))) {
            step(sequence, new int[] {PROMPT[0], PROMPT[1], PROMPT[2]}, outputs);
            step(sequence, IntStream.of(PROMPT).skip(3).toArray(), outputs);
            for (int token : ANSWER) {
                step(sequence, new int[] {token}, outputs);
            }
        }
        return outputs;
    }

    private void step(Sequence sequence, int[] tokens, Map<String, List<float[]>> outputs) {
        int n = tokens.length;
        int start = sequence.committedRows();
        int[] rows = IntStream.range(0, n).toArray();
        int[] positions = IntStream.range(start, start + n).toArray();
        sequence.begin(
                n == 1 ? StepKind.DECODE : StepKind.PREFILL,
                IntStream.range(-1, n - 1).toArray());
        PlacedGraph.Result result = placed.run(new PlacedGraph.Request(
                List.of(sequence),
                tokens,
                positions,
                rows,
                Map.of(),
                graph.outputs().keySet()));
        for (String name : graph.outputs().keySet()) {
            Rows output = result.output(name);
            float[] values = new float[output.count() * output.type().columns()];
            output.copyTo(0, output.count(), MemorySegment.ofArray(values));
            outputs.computeIfAbsent(name, o -> new ArrayList<>()).add(values);
        }
        sequence.commit(rows);
    }

    @Override
    public void close() {
        placed.close();
        weights.values().forEach(sets -> sets.forEach(WeightSet::close));
        file.close();
    }
}
