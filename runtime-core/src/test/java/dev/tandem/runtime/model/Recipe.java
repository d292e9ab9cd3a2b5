package dev.tandem.runtime.model;

import dev.tandem.testkit.MemoryModel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A small model of each architecture: metadata and shapes of tensors, to be changed by a test and then filled with random
 * weights.
 */
public final class Recipe {
    public static final int HIDDEN = 16;
    static final int HEADS = 4;
    static final int KV_HEADS = 2;
    static final int HEAD_DIM = 8;
    public static final int FEED_FORWARD = 24;
    static final int EXPERTS = 4;
    static final int EXPERTS_USED = 2;
    public static final int VOCABULARY = 23;
    static final int WINDOW = 40;

    private final String architecture;
    private final Map<String, @Nullable Object> keys = new LinkedHashMap<>();
    private final Map<String, long[]> shapes = new LinkedHashMap<>();

    private Recipe(String architecture, int layers) {
        this.architecture = architecture;
        keys.put("general.architecture", architecture);
        key("block_count", (long) layers);
        key("embedding_length", (long) HIDDEN);
        key("feed_forward_length", (long) FEED_FORWARD);
        key("context_length", 256L);
        key("attention.head_count", (long) HEADS);
        key("attention.head_count_kv", (long) KV_HEADS);
        key("attention.key_length", (long) HEAD_DIM);
        key("attention.value_length", (long) HEAD_DIM);
        key("attention.layer_norm_rms_epsilon", 1e-5);
        tensor("token_embd.weight", VOCABULARY, HIDDEN);
        tensor("output_norm.weight", HIDDEN);
        perLayer("attn_norm.weight", HIDDEN);
        perLayer("attn_q.weight", HEADS * HEAD_DIM, HIDDEN);
        perLayer("attn_k.weight", KV_HEADS * HEAD_DIM, HIDDEN);
        perLayer("attn_v.weight", KV_HEADS * HEAD_DIM, HIDDEN);
        perLayer("attn_output.weight", HIDDEN, HEADS * HEAD_DIM);
        perLayer("ffn_norm.weight", HIDDEN);
        perLayer("ffn_gate.weight", FEED_FORWARD, HIDDEN);
        perLayer("ffn_up.weight", FEED_FORWARD, HIDDEN);
        perLayer("ffn_down.weight", HIDDEN, FEED_FORWARD);
    }

    /** All recipes, by name; "mixtral" is llama with experts, "deepseek2-fused" the older form. */
    public static Recipe of(String name) {
        return switch (name) {
            case "deepseek2" -> deepSeek2();
            case "deepseek2-fused" -> deepSeek2Fused();
            case "glm4" -> glm4();
            case "glm4moe" -> glm4Moe();
            case "lfm2" -> lfm2();
            case "phi3" -> phi3();
            case "gemma2" -> gemma(new Recipe("gemma2", 4));
            case "gemma3" -> gemma3();
            case "gpt-oss" -> gptOss();
            case "mixtral" -> new Recipe("llama", 2).experts();
            case "smollm3" -> new Recipe(name, 4);
            case "llama", "mistral3" -> new Recipe(name, 2);
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** Latent rows of 12 columns, of a head's 8 columns 4 rotate. */
    private static Recipe deepSeek2() {
        Recipe recipe = latent();
        recipe.perLayer("attn_q_a.weight", 10, HIDDEN);
        recipe.perLayer("attn_q_a_norm.weight", 10);
        recipe.perLayer("attn_q_b.weight", HEADS * HEAD_DIM, 10);
        recipe.perLayer("attn_k_b.weight", HEADS, 12, HEAD_DIM - 4);
        recipe.perLayer("attn_v_b.weight", HEADS, HEAD_DIM, 12);
        recipe.key("attention.key_length", 16L).key("attention.value_length", 12L);
        recipe.key("attention.key_length_mla", (long) HEAD_DIM).key("attention.value_length_mla", (long) HEAD_DIM);
        recipe.key("expert_group_count", 2L).key("expert_group_used_count", 1L);
        return recipe.key("attention.q_lora_rank", 10L).key("expert_gating_func", 2L);
    }

    private static Recipe deepSeek2Fused() {
        Recipe recipe = latent();
        recipe.perLayer("attn_q.weight", HEADS * HEAD_DIM, HIDDEN);
        return recipe.perLayer("attn_kv_b.weight", HEADS * (HEAD_DIM - 4 + HEAD_DIM), 12);
    }

    private static Recipe latent() {
        Recipe recipe = new Recipe("deepseek2", 3).mixed();
        recipe.drop("attn_q.weight", "attn_k.weight", "attn_v.weight");
        recipe.perLayer("attn_kv_a_mqa.weight", 16, HIDDEN);
        recipe.perLayer("attn_kv_a_norm.weight", 12);
        return recipe.key("attention.kv_lora_rank", 12L).key("rope.dimension_count", 4L);
    }

    private static Recipe glm4() {
        Recipe recipe = new Recipe("glm4", 2);
        recipe.drop("ffn_gate.weight");
        recipe.perLayer("ffn_up.weight", 2 * FEED_FORWARD, HIDDEN);
        recipe.perLayer("post_attention_norm.weight", HIDDEN);
        recipe.perLayer("post_ffw_norm.weight", HIDDEN);
        return recipe.key("rope.dimension_count", 4L);
    }

    private static Recipe glm4Moe() {
        Recipe recipe = new Recipe("glm4moe", 3).mixed();
        recipe.drop("ffn_norm.weight");
        recipe.perLayer("post_attention_norm.weight", HIDDEN);
        recipe.perLayer("attn_q_norm.weight", HEAD_DIM);
        return recipe.perLayer("attn_k_norm.weight", HEAD_DIM);
    }

    /** Only the second layer attends. */
    private static Recipe lfm2() {
        Recipe recipe = new Recipe("lfm2", 3);
        recipe.perLayer("attn_q_norm.weight", HEAD_DIM);
        recipe.perLayer("attn_k_norm.weight", HEAD_DIM);
        recipe.shapes.keySet().removeIf(name -> name.matches("blk.[02].attn_(q|k|v|output|q_norm|k_norm).weight"));
        for (String layer : List.of("blk.0.", "blk.2.")) {
            recipe.tensor(layer + "shortconv.in_proj.weight", 3 * HIDDEN, HIDDEN);
            recipe.tensor(layer + "shortconv.conv.weight", HIDDEN, 3);
            recipe.tensor(layer + "shortconv.out_proj.weight", HIDDEN, HIDDEN);
        }
        recipe.shapes.remove("output_norm.weight");
        recipe.tensor("token_embd_norm.weight", HIDDEN);
        recipe.key("attention.head_count_kv", List.of(0L, (long) KV_HEADS, 0L));
        return recipe.key("shortconv.l_cache", 3L);
    }

    /** Experts beside a shared one, but for the first layer. */
    private Recipe mixed() {
        experts();
        shapes.keySet().removeIf(name -> name.matches("blk.0.ffn_(gate_inp|.*_exps).weight"));
        for (String part : List.of("blk.0.ffn_%s.weight", "blk.1.ffn_%s_shexp.weight", "blk.2.ffn_%s_shexp.weight")) {
            tensor(part.formatted("gate"), FEED_FORWARD, HIDDEN);
            tensor(part.formatted("up"), FEED_FORWARD, HIDDEN);
            tensor(part.formatted("down"), HIDDEN, FEED_FORWARD);
        }
        tensor("blk.1.exp_probs_b.bias", EXPERTS);
        tensor("blk.2.exp_probs_b.bias", EXPERTS);
        return key("leading_dense_block_count", 1L).key("expert_shared_count", 1L);
    }

    private static Recipe phi3() {
        Recipe recipe = new Recipe("phi3", 2);
        recipe.drop("attn_q.weight", "attn_k.weight", "attn_v.weight", "ffn_gate.weight");
        recipe.perLayer("attn_qkv.weight", (HEADS + 2 * KV_HEADS) * HEAD_DIM, HIDDEN);
        recipe.perLayer("ffn_up.weight", 2 * FEED_FORWARD, HIDDEN);
        recipe.tensor("rope_factors_long.weight", HEAD_DIM / 2);
        recipe.tensor("rope_factors_short.weight", HEAD_DIM / 2);
        return recipe.key("rope.scaling.original_context_length", 64L);
    }

    private static Recipe gemma(Recipe recipe) {
        recipe.perLayer("post_attention_norm.weight", HIDDEN);
        recipe.perLayer("post_ffw_norm.weight", HIDDEN);
        return recipe.key("attention.sliding_window", (long) WINDOW);
    }

    private static Recipe gemma3() {
        Recipe recipe = gemma(new Recipe("gemma3", 7));
        recipe.perLayer("attn_q_norm.weight", HEAD_DIM);
        recipe.perLayer("attn_k_norm.weight", HEAD_DIM);
        return recipe;
    }

    private static Recipe gptOss() {
        Recipe recipe = new Recipe("gpt-oss", 4).experts();
        recipe.drop("ffn_norm.weight");
        recipe.perLayer("post_attention_norm.weight", HIDDEN);
        recipe.perLayer("attn_sinks.weight", HEADS);
        recipe.perLayer("ffn_gate_inp.bias", EXPERTS);
        recipe.perLayer("ffn_gate_exps.bias", EXPERTS, FEED_FORWARD);
        recipe.perLayer("ffn_up_exps.bias", EXPERTS, FEED_FORWARD);
        recipe.perLayer("ffn_down_exps.bias", EXPERTS, HIDDEN);
        return recipe.key("attention.sliding_window", (long) WINDOW);
    }

    private Recipe experts() {
        drop("ffn_gate.weight", "ffn_up.weight", "ffn_down.weight");
        perLayer("ffn_gate_inp.weight", EXPERTS, HIDDEN);
        perLayer("ffn_gate_exps.weight", EXPERTS, FEED_FORWARD, HIDDEN);
        perLayer("ffn_up_exps.weight", EXPERTS, FEED_FORWARD, HIDDEN);
        perLayer("ffn_down_exps.weight", EXPERTS, HIDDEN, FEED_FORWARD);
        return key("expert_count", (long) EXPERTS).key("expert_used_count", (long) EXPERTS_USED);
    }

    int layers() {
        return ((Long) value("block_count")).intValue();
    }

    private Object value(String key) {
        Object value = keys.get(architecture + "." + key);
        if (value == null) {
            throw new IllegalArgumentException(key);
        }
        return value;
    }

    /** Sets a key of the architecture; null removes it. */
    Recipe key(String key, @Nullable Object value) {
        keys.put(architecture + "." + key, value);
        return this;
    }

    public Recipe tensor(String name, long... shape) {
        shapes.put(name, shape);
        return this;
    }

    Recipe perLayer(String name, long... shape) {
        for (int i = 0; i < layers(); i++) {
            tensor("blk." + i + "." + name, shape);
        }
        return this;
    }

    private void drop(String... names) {
        for (String name : names) {
            for (int i = 0; i < layers(); i++) {
                shapes.remove("blk." + i + "." + name);
            }
        }
    }

    /** A bias for each of the linear layers of attention and feed-forward. */
    Recipe biases() {
        for (String name : List.copyOf(shapes.keySet())) {
            long[] shape = shape(name);
            if (shape.length == 2 && name.startsWith("blk.") && name.endsWith(".weight")) {
                shapes.putIfAbsent(name.replace(".weight", ".bias"), new long[] {shape[0]});
            }
        }
        return tensor("output.bias", VOCABULARY);
    }

    List<String> tensors() {
        return List.copyOf(shapes.keySet());
    }

    long[] shape(String tensor) {
        return Objects.requireNonNull(shapes.get(tensor), tensor).clone();
    }

    void remove(String tensor) {
        shapes.remove(tensor);
    }

    /** The model with random weights that keep activations near 1. */
    public MemoryModel build(long seed) {
        Random random = new Random(seed);
        MemoryModel model = new MemoryModel("small.gguf");
        keys.forEach(model::set);
        shapes.forEach((name, shape) -> model.floats(name, values(name, shape, random), shape));
        return model;
    }

    private static float[] values(String name, long[] shape, Random random) {
        int size = 1;
        for (long n : shape) {
            size *= (int) n;
        }
        float[] values = new float[size];
        boolean divisors = name.startsWith("rope_");
        boolean gain = name.endsWith("norm.weight");
        double spread = shape.length == 1 ? 0.3 : 1.5 / Math.sqrt((double) shape[shape.length - 1]);
        for (int i = 0; i < size; i++) {
            values[i] =
                    (float) (divisors ? 1 + 3 * random.nextDouble() : (gain ? 1 : 0) + spread * random.nextGaussian());
        }
        return values;
    }
}
