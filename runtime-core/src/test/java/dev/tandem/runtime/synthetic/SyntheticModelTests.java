package dev.tandem.runtime.synthetic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.Architectures;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.TensorInfo;
import dev.tandem.spi.numeric.Dequantizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SyntheticModelTests {
    private static final Shape SMALL =
            new Shape("tiny", "qwen3", 16, 256, 512, 4, 2, 64, 512, false, true, 1e6f, 1e-6f, 1024);

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(Mixture.class)
    void isAModelOfItsShapeAndTypes(Mixture mixture) throws IOException {
        Path file = folder.resolve("model.gguf");
        SyntheticModel model = new SyntheticModel(SMALL, mixture);
        model.write(file, 1, written -> {});
        assertTrue(Files.size(file) >= model.bytes() && Files.size(file) < model.bytes() + 100_000);
        try (GgufFile opened = GgufFile.open(file)) {
            LanguageModel language = Architectures.read(opened);
            assertEquals(16, language.shape().layers());
            assertEquals(512, language.shape().vocabulary());
            assertEquals(mixture.output(), tensor(opened, "output.weight").type());
            assertEquals(mixture.type(), tensor(opened, "blk.3.attn_v.weight").type());
            assertEquals(
                    mixture.sensitive(0, 16),
                    tensor(opened, "blk.0.attn_v.weight").type());
            assertEquals(DType.F32, tensor(opened, "output_norm.weight").type());
            for (String name : new String[] {"output.weight", "blk.3.ffn_gate.weight"}) {
                double deviation = deviation(opened, tensor(opened, name));
                // A power of two below the deviation times 1 to 2 for the plain types.
                assertEquals(1 / Math.sqrt(256), deviation, 0.6 / Math.sqrt(256), name);
            }
        }
    }

    private static TensorInfo tensor(GgufFile file, String name) {
        return file.tensor(name).orElseThrow();
    }

    private static double deviation(GgufFile file, TensorInfo tensor) {
        float[] row = new float[256];
        double squares = 0;
        for (int i = 0; i < 64; i++) {
            Dequantizer.dequantize(
                    tensor.type(), file.data(tensor), i * tensor.type().rowBytes(256), 256, row, 0);
            for (float weight : row) {
                squares += weight * weight;
            }
        }
        return Math.sqrt(squares / 64 / 256);
    }

    @Test
    void isTheSameFileForTheSameSeedOnly() throws IOException {
        SyntheticModel model = new SyntheticModel(SMALL, Mixture.Q4_0);
        byte[][] bytes = new byte[3][];
        long[] seeds = {1, 1, 2};
        for (int i = 0; i < 3; i++) {
            Path file = folder.resolve("model" + i);
            model.write(file, seeds[i], written -> {});
            bytes[i] = Files.readAllBytes(file);
        }
        assertArrayEquals(bytes[0], bytes[1]);
        assertFalse(Arrays.equals(bytes[0], bytes[2]));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "qwen3-0.6b", "qwen3-0.6b:", ":q8_0", "qwen3-0.6b:q3_k", "qwen9-1b:q8_0", "a:b:c"})
    void refusesWhatItDoesNotKnowAndListsWhatItKnows(String name) {
        UsageException refusal = assertThrows(UsageException.class, () -> SyntheticModel.of(name));
        assertTrue(refusal.remedy().contains("qwen3-8b") && refusal.remedy().contains("q4_k_m"), refusal.remedy());
    }

    @Test
    void saysThatAFolderIsMissing() {
        SyntheticModel model = new SyntheticModel(SMALL, Mixture.Q8_0);
        Path file = folder.resolve("none").resolve("model.gguf");
        UsageException refusal = assertThrows(UsageException.class, () -> model.write(file, 1, written -> {}));
        assertEquals("cannot write " + file + ": its folder does not exist", refusal.getMessage());
    }

    @Test
    void isFoundByNameInAnyCase() {
        assertEquals(
                "llama-3.2-1b:q4_k_m", SyntheticModel.of("LLaMA-3.2-1B:Q4_K_M").name());
    }
}
