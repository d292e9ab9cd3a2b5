package dev.tandem.runtime.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.Golden;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.LanguageModel.GraphOptions;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.draft.DraftPlan.HiddenTap;
import dev.tandem.spi.draft.DraftPlan.HiddenTap.Stage;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.MemoryModel;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an inconsistent model says of itself, and what graphs offer. */
final class ArchitectureErrorTests {
    private static final GraphOptions PLAIN = new GraphOptions(DType.F32, List.of());

    /** A one-layer llama with 8 columns, 2 heads and 5 tokens, to be broken by a test. */
    private static MemoryModel llama() {
        MemoryModel model = new MemoryModel("small.gguf")
                .set("general.architecture", "llama")
                .set("llama.block_count", 1L)
                .set("llama.embedding_length", 8L)
                .set("llama.feed_forward_length", 12L)
                .set("llama.context_length", 64L)
                .set("llama.attention.head_count", 2L)
                .set("llama.attention.layer_norm_rms_epsilon", 1e-5);
        tensor(model, "token_embd.weight", 5, 8);
        tensor(model, "output_norm.weight", 8);
        tensor(model, "blk.0.attn_norm.weight", 8);
        tensor(model, "blk.0.ffn_norm.weight", 8);
        for (String name : List.of("attn_q", "attn_k", "attn_v", "attn_output")) {
            tensor(model, "blk.0." + name + ".weight", 8, 8);
        }
        tensor(model, "blk.0.ffn_gate.weight", 12, 8);
        tensor(model, "blk.0.ffn_up.weight", 12, 8);
        tensor(model, "blk.0.ffn_down.weight", 8, 12);
        return model;
    }

    private static void tensor(MemoryModel model, String name, long... shape) {
        int size = 1;
        for (long n : shape) {
            size *= (int) n;
        }
        model.floats(name, new float[size], shape);
    }

    private static ModelFileException failure(MemoryModel model) {
        return assertThrows(
                ModelFileException.class, () -> Architectures.read(model).forward(PLAIN));
    }

    @Test
    void aSoundModelIsAccepted() {
        LanguageModel model = Architectures.read(llama());
        assertEquals(new ModelShape(1, 8, 5, 64), model.shape());
        assertEquals(2 * 2 * 4 * 4, ModelShape.bytesPerPosition(model.forward(PLAIN)));
    }

    @Test
    void anUnknownArchitectureNamesTheSupportedOnes() {
        ModelFileException failure = failure(new MemoryModel("x.gguf").set("general.architecture", "mamba9"));
        assertEquals(ErrorCode.MODEL_UNSUPPORTED, failure.code());
        assertTrue(
                failure.getMessage().contains("mamba9") && failure.getMessage().contains("x.gguf"));
        for (String id : Architectures.ids()) {
            assertTrue(failure.remedy().contains(id));
        }
    }

    @Test
    void aTensorOfAnotherShapeIsRefusedWithBothShapes() {
        MemoryModel model = llama();
        tensor(model, "blk.0.ffn_up.weight", 13, 8);
        ModelFileException failure = failure(model);
        assertEquals(
                "small.gguf: tensor blk.0.ffn_up.weight has shape [13, 8], but the metadata ask for [12, 8]",
                failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "llama.block_count",
                "llama.embedding_length",
                "llama.context_length",
                "llama.attention.head_count",
                "llama.attention.layer_norm_rms_epsilon"
            })
    void aMissingKeyIsNamed(String key) {
        MemoryModel model = llama();
        model.set(key, null);
        assertEquals(
                "small.gguf: metadata key " + key + " is missing",
                failure(model).getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "llama.block_count,0",
        "llama.block_count,5000",
        "llama.embedding_length,-1",
        "llama.attention.head_count,3",
        "llama.attention.head_count_kv,3",
        "llama.rope.dimension_count,7",
        "llama.rope.dimension_count,64",
        "llama.context_length,9223372036854775807"
    })
    void anImpossibleValueIsNamed(String key, long value) {
        MemoryModel model = llama();
        model.set(key, value);
        String message = failure(model).getMessage();
        assertTrue(message.contains("small.gguf: metadata key llama."), message);
        assertEquals(ErrorCode.MODEL_INCONSISTENT, failure(model).code());
    }

    @Test
    void aMissingTensorIsNamedWithItsShape() {
        MemoryModel model = llama();
        model.set("llama.block_count", 2L);
        assertEquals(
                "small.gguf: tensor blk.1.attn_norm.weight of shape [8] is missing",
                failure(model).getMessage());
    }

    private static ModelFileException failure(Recipe recipe) {
        ModelFileException failure = failure(recipe.build(1));
        assertEquals(ErrorCode.MODEL_INCONSISTENT, failure.code());
        assertFalse(failure.remedy().isBlank());
        return failure;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "deepseek2",
                "deepseek2-fused",
                "gemma2",
                "gemma3",
                "glm4",
                "glm4moe",
                "gpt-oss",
                "lfm2",
                "llama",
                "mistral3",
                "mixtral",
                "phi3",
                "smollm3"
            })
    void everyTensorIsMissed(String name) {
        assertEquals(
                Recipe.VOCABULARY,
                Architectures.read(Recipe.of(name).build(1)).shape().vocabulary());
        for (String tensor : Recipe.of(name).tensors()) {
            if (!tensor.endsWith(".bias")) {
                Recipe recipe = Recipe.of(name);
                recipe.remove(tensor);
                String message = failure(recipe).getMessage();
                // Without a fused tensor those that it may replace are looked for.
                String missed = tensor.replace("attn_qkv", "attn_q").replace("attn_kv_b", "attn_k_b");
                assertTrue(message.startsWith("small.gguf: tensor " + missed), message);
                assertTrue(message.endsWith("is missing"), message);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "deepseek2",
                "deepseek2-fused",
                "gemma2",
                "gemma3",
                "glm4",
                "glm4moe",
                "gpt-oss",
                "lfm2",
                "llama",
                "mistral3",
                "mixtral",
                "phi3",
                "smollm3"
            })
    void everyTensorsShapeIsChecked(String name) {
        for (String tensor : Recipe.of(name).biases().tensors()) {
            for (int dimension = 0; dimension < Recipe.of(name).biases().shape(tensor).length; dimension++) {
                if (!tensor.equals("token_embd.weight") || dimension > 0) {
                    Recipe recipe = Recipe.of(name).biases();
                    String sound = Arrays.toString(recipe.shape(tensor));
                    long[] shape = recipe.shape(tensor);
                    shape[dimension]++;
                    recipe.tensor(tensor, shape);
                    String message = failure(recipe).getMessage();
                    assertTrue(
                            message.startsWith("small.gguf: tensor " + tensor + " has shape " + Arrays.toString(shape)),
                            message);
                    assertTrue(tensor.startsWith("token_embd") || message.endsWith("ask for " + sound), message);
                }
            }
        }
    }

    @Test
    void impossibleValuesOfTheNewerKeysAreNamed() {
        Map<String, Recipe> recipes = Map.of(
                "gpt-oss.attention.sliding_window is missing",
                        Recipe.of("gpt-oss").key("attention.sliding_window", 0L),
                "gemma3.attention.sliding_window_pattern: 3 entries for 7 layers",
                        Recipe.of("gemma3").key("attention.sliding_window_pattern", List.of(1L, 0L, 1L)),
                "llama.expert_used_count: 5 is not in 1..4",
                        Recipe.of("mixtral").key("expert_used_count", 5L),
                "llama.attention.key_length: 8193 is not in 1..8192",
                        Recipe.of("llama").key("attention.key_length", 8193L),
                "phi3.rope.scaling.original_context_length: 1 gives no attention factor",
                        Recipe.of("phi3").key("rope.scaling.original_context_length", 1L));
        recipes.forEach((message, recipe) -> assertEquals(
                "small.gguf: metadata key " + message, failure(recipe).getMessage()));
    }

    @Test
    void impossibleExpertsAndLayersAreNamed() {
        Map<String, Recipe> recipes = Map.of(
                "deepseek2.expert_gating_func: 4 is not supported; 1 for softmax and 2 for sigmoid are",
                        Recipe.of("deepseek2").key("expert_gating_func", 4L),
                "deepseek2.expert_group_count: 3 does not divide the 4 experts",
                        Recipe.of("deepseek2").key("expert_group_count", 3L),
                "deepseek2.expert_group_used_count: 1 groups hold too few experts",
                        Recipe.of("deepseek2").key("expert_used_count", 3L),
                "deepseek2.attention.kv_lora_rank: 8193 is not in 1..8192",
                        Recipe.of("deepseek2").key("attention.kv_lora_rank", 8193L),
                "deepseek2.rope.dimension_count: 8 columns leave none unrotated of a key's 8",
                        Recipe.of("deepseek2").key("rope.dimension_count", 8L),
                "glm4moe.nextn_predict_layers: 3 leaves no layer of 3",
                        Recipe.of("glm4moe").key("nextn_predict_layers", 3L),
                "lfm2.attention.head_count_kv: 2 entries for 3 layers",
                        Recipe.of("lfm2").key("attention.head_count_kv", List.of(0L, 2L)),
                "lfm2.attention.head_count_kv: [2, 4] is not one number in 1..65536 that all layers share",
                        Recipe.of("lfm2").key("attention.head_count_kv", List.of(2L, 4L, 0L)),
                "lfm2.shortconv.l_cache: 1 is not in 2..1024", Recipe.of("lfm2").key("shortconv.l_cache", 1L));
        recipes.forEach((message, recipe) -> assertEquals(
                "small.gguf: metadata key " + message, failure(recipe).getMessage()));
    }

    @Test
    void aWindowPatternMayBeAPeriodOrAFlagPerLayer() {
        assertEquals(List.of(40, 0, 40, 0), windows(Recipe.of("gemma2")));
        assertEquals(List.of(40, 40, 0, 40), windows(Recipe.of("gemma2").key("attention.sliding_window_pattern", 3L)));
        assertEquals(
                List.of(0, 40, 40, 0),
                windows(Recipe.of("gemma2").key("attention.sliding_window_pattern", List.of(0L, 1L, 1L, 0L))));
        assertEquals(List.of(4096, 0, 4096, 0), windows(Recipe.of("gemma2").key("attention.sliding_window", null)));
    }

    private static List<Integer> windows(Recipe recipe) {
        return Architectures.read(recipe.build(1)).forward(PLAIN).states().stream()
                .map(state -> ((StateSpec.Kv) state).window())
                .toList();
    }

    @Test
    void layersBeyondTheMetadataAreRefused() {
        MemoryModel model = llama();
        tensor(model, "blk.1.attn_norm.weight", 8);
        assertTrue(failure(model).getMessage().contains("blk.1.attn_norm.weight"));
    }

    @Test
    void anUnknownRopeScalingIsNamed() {
        MemoryModel model = llama().set("llama.rope.scaling.type", "stretch");
        assertTrue(failure(model).getMessage().contains("'stretch' is not supported"));
    }

    @Test
    void tapsAreOutputsWithAllRowsAndLeaveTheLogitsAlone() {
        try (GgufFile file = GgufFile.open(Golden.resource("tiny/qwen3.gguf"))) {
            LanguageModel model = Architectures.read(file);
            List<HiddenTap> taps = List.of(
                    new HiddenTap(0, Stage.EMBEDDING),
                    new HiddenTap(1, Stage.LAYER_OUTPUT),
                    new HiddenTap(2, Stage.LAYER_OUTPUT),
                    new HiddenTap(0, Stage.FINAL_PRE_NORM),
                    new HiddenTap(0, Stage.FINAL_POST_NORM));
            Graph graph = model.forward(new GraphOptions(DType.F32, taps));
            assertEquals(6, graph.outputs().size());
            for (int i = 0; i < taps.size(); i++) {
                assertEquals(RowSet.STEP, graph.output("tap." + i).type().rows());
            }
            assertEquals(RowSet.SELECTED, graph.output("logits").type().rows());
            assertEquals(model.forward(PLAIN).toString(), model.forward(PLAIN).toString(), "graphs print alike");
        }
    }
}
