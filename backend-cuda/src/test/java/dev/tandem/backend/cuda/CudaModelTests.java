package dev.tandem.backend.cuda;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.gpu.fake.FakeDriver;
import dev.tandem.gpu.fake.GpuModelContract;
import dev.tandem.spi.backend.Precision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernels are the same for every vendor, so the many models run here alone. */
final class CudaModelTests extends GpuModelContract {
    CudaModelTests() {
        super(FakeDriver.cuda(), driver -> new CudaProvider(driver.serve(Cuda.vendor())));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "llama",
                "llama-tied",
                "mistral",
                "qwen2",
                "qwen3-yarn",
                "gemma3",
                "smollm3",
                "qwen3moe",
                "deepseek2"
            })
    void tinyModelsOfOtherArchitecturesHaveTheCpusBits(String name) {
        for (Precision precision : Precision.values()) {
            sameBits("tiny/" + name + ".gguf", precision, tokens(12, 1024), 12);
        }
    }

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
    void quantisedModelsOfManyArchitecturesHaveTheCpusBits(String name) {
        sameBits("archs/" + name + "-q8_0.gguf", Precision.FAST, tokens(12, 128), 12, 5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"q8_0", "q4_0"})
    void theTrainedModelInOtherQuantisationsHasTheCpusBits(String quantisation) {
        sameBits("models/sprig-java-31m-" + quantisation + ".gguf", Precision.FAST, tokens(9, 12_288), 9, 1);
    }

    @Test
    void whatTheDeviceRefusesRunsOnTheCpuWithTheSameBits() {
        assertTrue(sameBitsWithRefusals("archs/lfm2-dense-q8_0.gguf", tokens(12, 128)) > 0, "nothing was refused");
    }
}
