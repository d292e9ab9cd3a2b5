package dev.tandem.gpu.fake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.backend.cpu.CpuBackendProvider;
import dev.tandem.gpu.GpuProvider;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.spi.Availability.Available;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.spi.backend.BackendProvider.OpenOptions;
import dev.tandem.spi.backend.Precision;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole models on the emulator give the bits of the CPU backend; extended by each vendor's plugin. */
public abstract class GpuModelContract {
    private final FakeDriver driver = driver();
    private final Backend cpu = open(new CpuBackendProvider());
    private final Backend gpu = open(provider(driver));

    /** For the subclass. */
    protected GpuModelContract() {}

    /** The vendor's driver. */
    protected abstract FakeDriver driver();

    /** The vendor's provider over a driver. */
    protected abstract GpuProvider provider(FakeDriver over);

    private static Backend open(BackendProvider provider) {
        Available available = (Available) provider.probe();
        return provider.open(available.devices().getFirst(), OpenOptions.DEFAULT);
    }

    /** Closes both. */
    @AfterEach
    public final void close() {
        gpu.close();
        cpu.close();
        driver.assertNoFaults();
        assertEquals(0, driver.live(), "memory left on the device");
    }

    private static GgufFile shared(String name) {
        Path file = Path.of(System.getProperty("tandem.testdata", "testdata")).resolve(name);
        String message = "golden data " + file + " is absent";
        if (Boolean.getBoolean("tandem.testdata.required")) {
            assertTrue(Files.exists(file), message);
        }
        assumeTrue(Files.exists(file), message);
        return GgufFile.open(file);
    }

    private static int[] tokens(int count, int vocabulary) {
        return new Random(count).ints(count, 0, vocabulary).toArray();
    }

    private void sameBits(String name, Precision precision, int[] tokens, int... pieces) {
        try (GgufFile file = shared(name);
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
                "gpt2-dense",
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
        try (GgufFile file = shared("tiny/qwen3.gguf");
                PlacedModel here = new PlacedModel(file, gpu, cpu, Precision.FAST);
                PlacedModel there = new PlacedModel(file, cpu, cpu, Precision.FAST)) {
            assertArrayEquals(there.treeBits(history, nodes, parents), here.treeBits(history, nodes, parents));
        }
    }
}
