package dev.tandem.gpu.fake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.backend.cpu.CpuBackendProvider;
import dev.tandem.gpu.GpuProvider;
import dev.tandem.gpu.fake.FakeDriver.Call;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Precision;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole models on the emulator give the bits of the CPU backend; extended by each vendor's plugin. */
public abstract class GpuModelContract {
    private final FakeDriver driver;
    private final Backend cpu;
    private final Backend gpu;

    /**
     * Opens the devices.
     *
     * @param driver of a vendor
     * @param provider of that vendor, over that driver
     */
    protected GpuModelContract(FakeDriver driver, Function<FakeDriver, GpuProvider> provider) {
        this.driver = driver;
        this.cpu = PlacedModel.open(new CpuBackendProvider());
        this.gpu = PlacedModel.open(provider.apply(driver));
    }

    /** Closes both. */
    @AfterEach
    public final void close() {
        gpu.close();
        cpu.close();
        driver.assertNoFaults();
        assertEquals(0, driver.live(), "memory left on the device");
    }

    private static int[] tokens(int count, int vocabulary) {
        return new Random(count).ints(count, 0, vocabulary).toArray();
    }

    private void sameBits(String name, Precision precision, int[] tokens, int... pieces) {
        try (GgufFile file = PlacedModel.file(name);
                PlacedModel here = new PlacedModel(file, gpu, cpu, precision);
                PlacedModel there = new PlacedModel(file, cpu, cpu, precision)) {
            int[][] expected = there.bits(tokens, tokens.length);
            for (int piece : pieces) {
                assertArrayEquals(expected, here.bits(tokens, piece), name + ", pieces of " + piece);
            }
            assertEquals(0, here.refused(), name + ": nodes that the device refuses");
        }
    }

    /** Small models of many architectures. */
    @ParameterizedTest
    @CsvSource({
        "llama",
        "llama-tied",
        "mistral",
        "qwen2",
        "qwen3",
        "qwen3-yarn",
        "gemma3",
        "smollm3",
        "qwen3moe",
        "gpt-oss",
        "deepseek2"
    })
    public void tinyModelsHaveTheCpusBits(String name) {
        for (Precision precision : Precision.values()) {
            sameBits("tiny/" + name + ".gguf", precision, tokens(40, 1024), 40, 7);
        }
    }

    /** Quantised weights of many architectures. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "deepseek2-moe",
                "gemma2-dense",
                "gemma3-dense",
                "glm4-dense",
                "glm4moe-moe",
                "gpt-oss-moe",
                "llama-dense",
                "mistral3-dense",
                "phi3-dense",
                "qwen2-dense",
                "qwen3-dense",
                "qwen3moe-moe",
                "smollm3-dense"
            })
    public void modelsOfManyArchitecturesHaveTheCpusBits(String name) {
        sameBits("archs/" + name + "-q8_0.gguf", Precision.FAST, tokens(20, 128), 20, 3);
    }

    /** A trained model in three quantisations. */
    @ParameterizedTest
    @ValueSource(strings = {"q8_0", "q4_0", "q4_k_m"})
    public void aTrainedModelHasTheCpusBits(String quantisation) {
        sameBits("models/sprig-java-31m-" + quantisation + ".gguf", Precision.FAST, tokens(9, 12_288), 9, 1);
    }

    /** Rows of a tree after more than a chunk of attention. */
    @Test
    public void treesHaveTheCpusBits() {
        int[] parents = {-1, 0, 0, 1, 2, 3, -1, 6, 5, 8, 8};
        int[] nodes = tokens(parents.length, 1024);
        int[] history = IntStream.range(0, 126).map(i -> i * 7 % 1000).toArray();
        try (GgufFile file = PlacedModel.file("tiny/qwen3.gguf");
                PlacedModel here = new PlacedModel(file, gpu, cpu, Precision.FAST);
                PlacedModel there = new PlacedModel(file, cpu, cpu, Precision.FAST)) {
            assertArrayEquals(there.treeBits(history, nodes, parents), here.treeBits(history, nodes, parents));
        }
    }

    /** Two models on one device, in both orders, and the second one after the first was closed. */
    @ParameterizedTest
    @CsvSource({"qwen3, gpt-oss", "gpt-oss, qwen3"})
    public void twoModelsDoNotDisturbEachOther(String first, String second) {
        int[] tokens = tokens(30, 1024);
        try (GgufFile one = PlacedModel.file("tiny/" + first + ".gguf");
                GgufFile other = PlacedModel.file("tiny/" + second + ".gguf");
                PlacedModel oneThere = new PlacedModel(one, cpu, cpu, Precision.FAST);
                PlacedModel otherThere = new PlacedModel(other, cpu, cpu, Precision.FAST);
                PlacedModel otherHere = new PlacedModel(other, gpu, cpu, Precision.FAST)) {
            PlacedModel oneHere = new PlacedModel(one, gpu, cpu, Precision.FAST);
            assertArrayEquals(oneThere.bits(tokens, 30), oneHere.bits(tokens, 11));
            assertArrayEquals(otherThere.bits(tokens, 30), otherHere.bits(tokens, 11));
            assertArrayEquals(oneThere.bits(tokens, 30), oneHere.bits(tokens, 30));
            oneHere.close();
            assertArrayEquals(otherThere.bits(tokens, 30), otherHere.bits(tokens, 30));
        }
    }

    /** Steps that repeat are recorded; what they give stays that of the CPU over more than one chunk of attention. */
    @Test
    public void recordedStepsHaveTheCpusBits() {
        int[] tokens = tokens(140, 1024);
        try (GgufFile file = PlacedModel.file("tiny/qwen3.gguf");
                PlacedModel here = new PlacedModel(file, gpu, cpu, Precision.FAST);
                PlacedModel there = new PlacedModel(file, cpu, cpu, Precision.FAST)) {
            int[][] expected = there.bits(tokens, 128);
            assertArrayEquals(expected, here.bits(tokens, 1));
            assertArrayEquals(expected, here.bits(tokens, 2));
            // The 40 kernels of a step become one launch, so the 500th is never made.
            driver.fail(Call.LAUNCH, 500, 719, true);
            int[][] alone = here.bits(Arrays.copyOf(tokens, 50), 1);
            driver.reset();
            assertArrayEquals(Arrays.copyOf(expected, 50), alone);
        }
    }
}
