package dev.tandem.runtime.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.runtime.ModelRunner;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.graph.RopeSpec.Scaling;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.MemoryModel;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The two forms of latent attention, and what yarn does to its scores. */
final class LatentAttentionTests {
    private static final long SEED = 31;
    private static final int RANK = 12;
    private static final int STILL = 4;

    @Test
    void latentRowsGiveTheLogitsOfKeysAndValuesPerHead() {
        int[] tokens = new Random(SEED).ints(150, 0, Recipe.VOCABULARY).toArray();
        int[][] perHead = bits(Recipe.of("deepseek2-fused").build(SEED), tokens);
        int[][] latent = bits(split(Recipe.of("deepseek2-fused").build(SEED)), tokens);
        double difference = 0;
        double size = 0;
        for (int row = 0; row < tokens.length; row++) {
            for (int i = 0; i < Recipe.VOCABULARY; i++) {
                double expected = Float.intBitsToFloat(perHead[row][i]);
                double d = Float.intBitsToFloat(latent[row][i]) - expected;
                difference += d * d;
                size += expected * expected;
            }
        }
        double relative = Math.sqrt(difference / size);
        assertTrue(relative > 0, "both ran the same graph");
        assertTrue(relative <= 1e-5, "seed " + SEED + ": relative error " + relative);
    }

    private static int[][] bits(MemoryModel model, int[] tokens) {
        try (ModelRunner runner = new ModelRunner(model, Precision.REFERENCE, new ScalarKernels(), 1, 0)) {
            return runner.bits(tokens, 33);
        }
    }

    /** Adds the matrices of the newer form: per head, that of keys transposed and that of values. */
    private static MemoryModel split(MemoryModel model) {
        int heads = Recipe.HEADS;
        int valueDim = Recipe.HEAD_DIM;
        for (int layer = 0; layer < 3; layer++) {
            String name = "blk." + layer + ".attn_kv_b.weight";
            float[] both = model.data(model.tensor(name).orElseThrow()).toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
            float[] keys = new float[heads * RANK * STILL];
            float[] values = new float[heads * valueDim * RANK];
            for (int head = 0; head < heads; head++) {
                int first = head * (STILL + valueDim);
                for (int r = 0; r < RANK; r++) {
                    for (int k = 0; k < STILL; k++) {
                        keys[(head * RANK + r) * STILL + k] = both[(first + k) * RANK + r];
                    }
                    for (int v = 0; v < valueDim; v++) {
                        values[(head * valueDim + v) * RANK + r] = both[(first + STILL + v) * RANK + r];
                    }
                }
            }
            model.floats("blk." + layer + ".attn_k_b.weight", keys, heads, RANK, STILL);
            model.floats("blk." + layer + ".attn_v_b.weight", values, heads, valueDim, RANK);
        }
        return model;
    }

    private static LatentAttention read(Recipe recipe) {
        MemoryModel model = recipe.build(SEED);
        return LatentAttention.of(new Hyperparameters(model), new Tensors(model));
    }

    private static Recipe yarn() {
        return Recipe.of("deepseek2")
                .key("rope.scaling.type", "yarn")
                .key("rope.scaling.factor", 40.0)
                .key("rope.scaling.original_context_length", 64L);
    }

    @Test
    void yarnScalesTheScoresWhereTheModelHasAMultiplierAndTheRotationWhereNot() {
        double plain = 1 / Math.sqrt(Recipe.HEAD_DIM);
        double magnitude = 0.1 * Math.log(40) + 1;

        LatentAttention without = read(yarn());
        assertEquals(plain, without.scale(), 1e-6);
        assertEquals(magnitude, ((Scaling.Yarn) without.rope().scaling()).attentionFactor(), 1e-6);

        LatentAttention with = read(yarn().key("rope.scaling.yarn_log_multiplier", 0.0707));
        double multiplied = 0.0707 * Math.log(40) + 1;
        assertEquals(plain * multiplied * multiplied, with.scale(), 1e-6);
        assertEquals(1, ((Scaling.Yarn) with.rope().scaling()).attentionFactor(), 1e-6);
    }

    @Test
    void theStateHoldsOneLatentRowPerPosition() {
        LanguageModel model = Architectures.read(Recipe.of("deepseek2").build(SEED));
        LanguageModel fused = Architectures.read(Recipe.of("deepseek2-fused").build(SEED));
        LanguageModel.GraphOptions options = new LanguageModel.GraphOptions(DType.F32, List.of());
        assertEquals(3 * 4 * (16 + 12), ModelShape.bytesPerPosition(model.forward(options)));
        assertEquals(3 * 4 * 4 * (8 + 8), ModelShape.bytesPerPosition(fused.forward(options)));
    }
}
