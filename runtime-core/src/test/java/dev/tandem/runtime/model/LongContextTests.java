package dev.tandem.runtime.model;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.runtime.ModelRunner;
import dev.tandem.spi.backend.Precision;
import dev.tandem.testkit.MemoryModel;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sequences of more than four windows, and of positions beyond the original context, against a decoder in double
 * precision. They are longer than a page of keys, so that pages behind a window are let go.
 */
final class LongContextTests {
    private static final long SEED = 20;
    private static final int TOKENS = 4 * Recipe.WINDOW + 30;
    private static final int ORIGINAL = 64;
    private static final double BASE = 10_000;

    private static void compare(MemoryModel model, PlainDecoder plain, int context) {
        int[] tokens = new Random(SEED).ints(TOKENS, 0, Recipe.VOCABULARY).toArray();
        double[][] expected = plain.logits(tokens);
        try (ModelRunner runner = new ModelRunner(model, Precision.REFERENCE, new ScalarKernels(), 1, context)) {
            int[][] actual = runner.bits(tokens, 33);
            double difference = 0;
            double size = 0;
            for (int row = 0; row < TOKENS; row++) {
                for (int i = 0; i < Recipe.VOCABULARY; i++) {
                    double d = Float.intBitsToFloat(actual[row][i]) - expected[row][i];
                    difference += d * d;
                    size += expected[row][i] * expected[row][i];
                }
            }
            double relative = Math.sqrt(difference / size);
            assertTrue(relative <= 1e-5, model.architecture() + ", seed " + SEED + ": relative error " + relative);
        }
    }

    private static double[] frequencies(double base) {
        double[] turns = new double[Recipe.HEAD_DIM / 2];
        for (int i = 0; i < turns.length; i++) {
            turns[i] = Math.pow(base, -2.0 * i / Recipe.HEAD_DIM);
        }
        return turns;
    }

    private static double[] divided(double[] turns, MemoryModel model, String divisors) {
        float[] by = model.data(model.tensor(divisors).orElseThrow()).toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
        for (int i = 0; i < turns.length; i++) {
            turns[i] /= by[i];
        }
        return turns;
    }

    /** YaRN, section 3.2: pairs that turn more than 32 times in the original context stay, less than once are slowed. */
    private static double[] yarn(double[] turns, double factor, boolean rounded) {
        double low = pairThatTurns(32);
        double high = pairThatTurns(1);
        double from = Math.max(0, rounded ? Math.floor(low) : low);
        double to = Math.min(Recipe.HEAD_DIM - 1.0, rounded ? Math.ceil(high) : high);
        for (int i = 0; i < turns.length; i++) {
            double slowed = Math.clamp((i - from) / (to - from), 0, 1);
            turns[i] *= slowed / factor + (1 - slowed);
        }
        return turns;
    }

    private static double pairThatTurns(double times) {
        return Recipe.HEAD_DIM * Math.log(ORIGINAL / (times * 2 * Math.PI)) / (2 * Math.log(BASE));
    }

    private static void everywhere(PlainDecoder plain, double[] turns) {
        Arrays.fill(plain.frequencies, turns);
    }

    @Test
    void gemma2SeesItsWindowInEveryOtherLayer() {
        MemoryModel model = Recipe.of("gemma2")
                .biases()
                .key("attn_logit_softcapping", 1.5)
                .key("final_logit_softcapping", 3.0)
                .build(SEED);
        PlainDecoder plain = new PlainDecoder(model, 4);
        everywhere(plain, frequencies(BASE));
        plain.window = layer -> layer % 2 == 0 ? Recipe.WINDOW : 0;
        plain.embeddingScale = Math.sqrt(Recipe.HIDDEN);
        plain.activation = PlainDecoder::geluTanh;
        plain.scoreCap = PlainDecoder.cap(1.5);
        plain.logitCap = PlainDecoder.cap(3);
        compare(model, plain, 0);
    }

    @Test
    void gemma3SeesItsWindowInFiveLayersOfSixWithAnotherBase() {
        MemoryModel model = Recipe.of("gemma3")
                .key("rope.freq_base", 1e6)
                .key("rope.freq_base_swa", 5e3)
                .key("rope.scaling.type", "linear")
                .key("rope.scaling.factor", 8.0)
                .build(SEED);
        PlainDecoder plain = new PlainDecoder(model, 7);
        everywhere(plain, frequencies(5e3));
        double[] global = frequencies(1e6);
        for (int i = 0; i < global.length; i++) {
            global[i] /= 8;
        }
        plain.frequencies[5] = global;
        plain.window = layer -> layer == 5 ? 0 : Recipe.WINDOW;
        plain.embeddingScale = Math.sqrt(Recipe.HIDDEN);
        plain.activation = PlainDecoder::geluTanh;
        compare(model, plain, 0);
    }

    @Test
    void gptOssSeesItsWindowInEveryOtherLayerAndScalesByUnroundedYarn() {
        MemoryModel model = Recipe.of("gpt-oss")
                .biases()
                .key("rope.scaling.type", "yarn")
                .key("rope.scaling.factor", 4.0)
                .key("rope.scaling.original_context_length", (long) ORIGINAL)
                .build(SEED);
        PlainDecoder plain = new PlainDecoder(model, 4);
        everywhere(plain, yarn(frequencies(BASE), 4, false));
        plain.rotationScale = 0.1 * Math.log(4) + 1;
        plain.window = layer -> layer % 2 == 0 ? Recipe.WINDOW : 0;
        plain.clampedExperts = true;
        compare(model, plain, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64, 65})
    void phi3TakesItsLongFactorsForContextsBeyondTheOriginal(int context) {
        MemoryModel model = Recipe.of("phi3")
                .biases()
                .key("attention.sliding_window", (long) Recipe.WINDOW)
                .build(SEED);
        PlainDecoder plain = new PlainDecoder(model, 2);
        String factors = context == ORIGINAL ? "rope_factors_short.weight" : "rope_factors_long.weight";
        everywhere(plain, divided(frequencies(BASE), model, factors));
        plain.rotationScale = Math.sqrt(1 + Math.log(256.0 / ORIGINAL) / Math.log(ORIGINAL));
        plain.window = layer -> Recipe.WINDOW;
        compare(model, plain, context);
    }

    @Test
    void mistral3ScalesByRoundedYarnWithoutAnAttentionFactorAndQueriesByPosition() {
        MemoryModel model = Recipe.of("mistral3")
                .key("rope.scaling.type", "yarn")
                .key("rope.scaling.factor", 16.0)
                .key("rope.scaling.yarn_log_multiplier", 1.0)
                .key("attention.temperature_scale", 0.4)
                .key("rope.scaling.original_context_length", (long) ORIGINAL)
                .build(SEED);
        PlainDecoder plain = new PlainDecoder(model, 2);
        plain.halves = false;
        everywhere(plain, yarn(frequencies(BASE), 16, true));
        plain.queryScale = position -> 1 + 0.4 * Math.log(1 + Math.floorDiv(position, ORIGINAL));
        compare(model, plain, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"llama", "mixtral"})
    void llamaDividesItsFrequencies(String recipe) {
        MemoryModel model = Recipe.of(recipe)
                .tensor("rope_freqs.weight", Recipe.HEAD_DIM / 2)
                .build(SEED);
        PlainDecoder plain = new PlainDecoder(model, 2);
        plain.halves = false;
        everywhere(plain, divided(frequencies(BASE), model, "rope_freqs.weight"));
        compare(model, plain, 0);
    }

    @Test
    void smolLm3DoesNotRotateInEveryFourthLayer() {
        MemoryModel model = Recipe.of("smollm3").build(SEED);
        PlainDecoder plain = new PlainDecoder(model, 4);
        plain.halves = false;
        for (int i = 0; i < 3; i++) {
            plain.frequencies[i] = frequencies(BASE);
        }
        compare(model, plain, 0);
    }
}
