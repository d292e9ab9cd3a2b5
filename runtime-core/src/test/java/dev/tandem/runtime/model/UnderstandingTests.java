package dev.tandem.runtime.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.model.LanguageModel.GraphOptions;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.MemoryModel;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What can be told of a model: the facts of its layers, and what of its file has no effect. */
final class UnderstandingTests {
    private static final GraphOptions PLAIN = new GraphOptions(DType.F32, List.of());

    private static Graph graph(MemoryModel model) {
        return Architectures.read(model).forward(PLAIN);
    }

    private static List<String> lines(Recipe recipe) {
        return LayerText.lines(LayerFacts.of(graph(recipe.build(1))));
    }

    @Test
    void layersThatDifferAreNamed() {
        assertEquals(
                List.of(
                        "attention: 4 heads on 2 of keys and values, 8 columns",
                        "rope: base 10000, 8 of 8 columns in halves, no scaling, layers 0-4, 6",
                        "rope: base 1000000, 8 of 8 columns in halves, linear scaling by 8, layer 5",
                        "window: 40 positions, layers 0-4, 6",
                        "window: all positions, layer 5"),
                lines(Recipe.of("gemma3")
                        .key("rope.freq_base", 1e6)
                        .key("rope.scaling.type", "linear")
                        .key("rope.scaling.factor", 8.0)));
    }

    @Test
    void expertsAreDescribedWithTheirRouting() {
        assertEquals(
                List.of(
                        "attention: 4 heads on 1 of keys and values, 16 and 12 columns",
                        "rope: base 10000, 4 of 8 columns in neighbours, no scaling",
                        "window: all positions",
                        "experts: 2 of 4 and 1 shared, sigmoid, chosen with a bias, weights times 2.5, in the best 1 of"
                                + " 2 groups, layers 1, 2"),
                lines(Recipe.of("deepseek2").key("expert_weights_scale", 2.5)));
        assertTrue(lines(Recipe.of("gpt-oss")).getLast().endsWith("softmax over those used"));
    }

    @Test
    void layersWithoutAttentionAreDescribed() {
        assertEquals(
                List.of(
                        "attention: 4 heads on 2 of keys and values, 8 columns, layer 1",
                        "rope: base 10000, 8 of 8 columns in halves, no scaling, layer 1",
                        "window: all positions, layer 1",
                        "short convolution: 3 taps, layers 0, 2"),
                lines(Recipe.of("lfm2")));
    }

    @Test
    void keysThatNobodyReadAreFoundUnlessTheySayNothing() {
        MemoryModel model = Recipe.of("llama")
                .key("attention.max_alibi_bias", 8.0)
                .key("logit_scale", 0.0)
                .key("use_parallel_residual", true)
                .key("swin_norm", false)
                .key("rope.scaling.type", "linear")
                .key("rope.scaling.finetuned", true)
                .key("some.pattern", List.of(0L, 0L))
                .key("other.pattern", List.of(0L, 1L))
                .key("empty", "")
                .build(1)
                .set("general.name", "x")
                .set("qwen3.block_count", 7L);
        WatchedModel watched = new WatchedModel(model);
        Architectures.read(watched).forward(PLAIN);
        assertEquals(
                List.of(
                        "llama.attention.max_alibi_bias",
                        "llama.use_parallel_residual",
                        "llama.rope.scaling.finetuned",
                        "llama.other.pattern"),
                watched.unusedKeys());
    }

    @Test
    void tensorsThatNoGraphNamesAreFound() {
        MemoryModel model = Recipe.of("llama")
                .tensor("rope_freqs.weight", Recipe.HEAD_DIM / 2)
                .tensor("blk.1.attn_sub_norm.weight", 4)
                .biases()
                .build(1);
        WatchedModel watched = new WatchedModel(model);
        Graph graph = Architectures.read(watched).forward(PLAIN);
        assertEquals(List.of("blk.1.attn_sub_norm.weight"), watched.unusedTensors(graph));
    }

    @Test
    void blocksThatPredictFurtherTokensAreNoLayers() {
        MemoryModel model = Recipe.of("glm4moe").key("nextn_predict_layers", 1L).build(1);
        WatchedModel watched = new WatchedModel(model);
        LanguageModel language = Architectures.read(watched);
        assertEquals(2, language.shape().layers());
        List<String> unused = watched.unusedTensors(language.forward(PLAIN));
        assertTrue(unused.contains("blk.2.attn_q.weight"), unused.toString());
        assertTrue(unused.stream().allMatch(name -> name.startsWith("blk.2.")), unused.toString());
    }
}
