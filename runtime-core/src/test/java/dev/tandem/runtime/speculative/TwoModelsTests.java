package dev.tandem.runtime.speculative;

import static dev.tandem.runtime.speculative.Hosted.RESULT;
import static dev.tandem.runtime.speculative.Hosted.STEP_ROWS;
import static dev.tandem.runtime.speculative.Hosted.TOKENS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.backend.cpu.vector.VectorKernels;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.model.LanguageModel.GraphOptions;
import dev.tandem.runtime.model.Recipe;
import dev.tandem.runtime.placement.PlacedGraph;
import dev.tandem.runtime.placement.Site;
import dev.tandem.runtime.state.Sequence;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.draft.DraftHost.Compiled;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import dev.tandem.testkit.MemoryModel;
import dev.tandem.testkit.oracle.OracleProvider;
import dev.tandem.testkit.wrap.Death;
import dev.tandem.testkit.wrap.DyingBackend;
import dev.tandem.testkit.wrap.LameBackend;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files with equal names of tensors and different values, side by side and in one graph. */
final class TwoModelsTests {
    private final MemoryModel first = model(1);
    private final MemoryModel second = model(2);
    /** A third one with the same names, which no graph asks for. */
    private final MemoryModel bystander = model(3);

    private static MemoryModel model(long seed) {
        return Recipe.of("llama")
                .tensor("output.weight", Recipe.VOCABULARY, Recipe.HIDDEN)
                .build(seed);
    }

    /** Where both models run. */
    enum Place {
        SCALAR,
        VECTOR,
        ORACLE,
        LAME_EMBEDDING,
        LAME_HEAD;

        Backend reference() {
            return switch (this) {
                case VECTOR -> Hosted.cpu("cpu", VectorKernels.preferred());
                case ORACLE -> OracleProvider.open();
                default -> Hosted.cpu("cpu", new ScalarKernels());
            };
        }

        Backend chosen(Backend reference) {
            return switch (this) {
                case LAME_EMBEDDING -> LameBackend.withoutOp(reference, Op.Embed.class);
                case LAME_HEAD ->
                    new LameBackend(
                            reference,
                            node -> node.label().equals("output")
                                    ? Optional.of("no large matrices")
                                    : Optional.empty());
                default -> reference;
            };
        }
    }

    /** A strategy's graph: the target's embedding, layers and an embedding of its own, the target's head. */
    private static Graph graph(Function<Graph.Builder, Value> embed, Function<String, WeightRef> own, Head head) {
        Graph.Builder graph = Graph.builder("strategy");
        Value x = embed.apply(graph);
        Value up = graph.add("up", matMul(own.apply("blk.0.ffn_up.weight")), x);
        Value down = graph.add("down", matMul(own.apply("blk.0.ffn_down.weight")), up);
        Op norm = new Op.RmsNorm(Optional.of(own.apply("output_norm.weight")), Recipe.HIDDEN, 1e-5f);
        Value also = graph.add("own_embd", new Op.Embed(own.apply("token_embd.weight")));
        Value sum = graph.add("sum", new Op.Add(), graph.add("norm", norm, down), also);
        return graph.output(RESULT, head.logits(graph, sum)).build();
    }

    /** The target's output head. */
    @FunctionalInterface
    private interface Head {
        Value logits(Graph.Builder graph, Value hidden);
    }

    private static Op matMul(WeightRef weight) {
        return new Op.MatMul(weight, Optional.empty(), Op.Arithmetic.BY_PRECISION);
    }

    private static WeightRef weight(ModelView file, String tensor) {
        return WeightRef.of(file, file.tensor(tensor).orElseThrow());
    }

    private static Compiled compile(Hosted target, ModelView own, ModelView... files) {
        Graph graph = graph(target.host::embed, tensor -> weight(own, tensor), target.host::logits);
        return target.host.compile(graph, List.of(files), STEP_ROWS);
    }

    /** The same over one file that holds both models under different names. */
    private static int[] overOneFile(Backend chosen, Backend reference, MemoryModel target, MemoryModel own) {
        MemoryModel joint = new MemoryModel("joint.gguf");
        copy(target, "target.", joint);
        copy(own, "own.", joint);
        Op embed = new Op.Embed(weight(joint, "target.token_embd.weight"));
        Op head = matMul(weight(joint, "target.output.weight"));
        Graph graph = graph(
                g -> g.add("token_embd", embed),
                tensor -> weight(joint, "own." + tensor),
                (g, hidden) -> g.add("output", head, hidden));
        try (Site site = Site.load(graph, joint, chosen, reference, Precision.FAST, bytes -> {})) {
            return bits(site, graph);
        }
    }

    private static void copy(MemoryModel from, String prefix, MemoryModel to) {
        for (TensorInfo tensor : from.tensors()) {
            long[] shape = tensor.shape().stream().mapToLong(Long::longValue).toArray();
            to.tensor(prefix + tensor.name(), tensor.type(), from.data(tensor).toArray(ValueLayout.JAVA_BYTE), shape);
        }
    }

    /** The only output of a graph of a site's own model. */
    private static int[] bits(Site site, Graph graph) {
        String output = graph.outputs().keySet().iterator().next();
        int[] all = IntStream.range(0, TOKENS.length).toArray();
        try (PlacedGraph placed = site.compile(graph, STEP_ROWS);
                Sequence sequence = Sequence.create(placed.slots(), new StateOptions(32, STEP_ROWS))) {
            sequence.begin(
                    StepKind.PREFILL, IntStream.range(-1, TOKENS.length - 1).toArray());
            PlacedGraph.Result result =
                    placed.run(new PlacedGraph.Request(List.of(sequence), TOKENS, all, all, Map.of(), Set.of(output)));
            return Hosted.bits(result.output(output), 0, TOKENS.length);
        }
    }

    private static int[] forward(Hosted model) {
        LanguageModel language = model.language;
        return bits(model.site, language.forward(new GraphOptions(DType.F16, List.of())));
    }

    private static int[] forwardAlone(ModelView file, Backend chosen, Backend reference) {
        try (Hosted alone = new Hosted(file, chosen, reference)) {
            return forward(alone);
        }
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void eachFindsItsOwnWeightsInEitherOrderOfOpening(Place place) {
        inOrder(place, first, second);
        inOrder(place, second, first);
    }

    private void inOrder(Place place, MemoryModel one, MemoryModel other) {
        Backend reference = place.reference();
        Backend chosen = place.chosen(reference);
        int[] left = overOneFile(chosen, reference, one, other);
        int[] right = overOneFile(chosen, reference, other, one);
        assertFalse(Arrays.equals(left, right), "the models do not differ");
        int[] oneAlone = forwardAlone(one, chosen, reference);
        int[] otherAlone = forwardAlone(other, chosen, reference);
        Hosted opened = new Hosted(one, chosen, reference);
        try (Hosted later = new Hosted(other, chosen, reference)) {
            Compiled leftGraph = compile(opened, other, bystander, other);
            Compiled rightGraph = compile(later, one, one, bystander);
            assertArrayEquals(left, opened.bits(leftGraph), "the model opened first as the target");
            assertArrayEquals(right, later.bits(rightGraph), "the model opened second as the target");
            assertArrayEquals(oneAlone, forward(opened), "the model opened first");
            assertArrayEquals(otherAlone, forward(later), "the model opened second");
            opened.close();
            assertArrayEquals(right, later.bits(rightGraph), "the target that was not closed");
            assertArrayEquals(otherAlone, forward(later), "the model that was not closed");
            assertArrayEquals(right, later.bits(compile(later, one, one)), "compiled again");
        } finally {
            opened.close();
            reference.close();
        }
    }

    @Test
    void theTargetsWeightsAreNotLoadedAgain() {
        DyingBackend counting = new DyingBackend(Place.SCALAR.reference(), Death.never());
        try (Hosted target = new Hosted(first, counting, counting)) {
            assertEquals(1, counting.calls(Death.Call.LOAD), "the target");
            compile(target, second, second);
            assertEquals(2, counting.calls(Death.Call.LOAD), "the strategy's file");
            Graph.Builder graph = Graph.builder("another use");
            Value x = target.host.embed(graph);
            Value y = graph.add("embedding as a matrix", matMul(weight(first, "token_embd.weight")), x);
            target.host.compile(graph.output(RESULT, y).build(), List.of(), STEP_ROWS);
            assertEquals(3, counting.calls(Death.Call.LOAD), "the embedding was not loaded for this kind of op");
        } finally {
            counting.close();
        }
    }

    @Test
    void aFileThatWasNotGivenIsNamed() {
        Backend cpu = Place.SCALAR.reference();
        try (Hosted target = new Hosted(first, cpu, cpu)) {
            String message = String.valueOf(
                    assertThrows(IllegalArgumentException.class, () -> compile(target, second, bystander))
                            .getMessage());
            assertTrue(message.contains("small.gguf") && message.contains("not given"), message);
        } finally {
            cpu.close();
        }
    }
}
