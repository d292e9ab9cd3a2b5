package dev.tandem.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.backend.cpu.vector.VectorKernels;
import dev.tandem.spi.backend.Precision;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole models give the same bits whatever the kernel set, the threads, the batch and the pieces of the prompt. */
final class BitEqualityTests {
    private static int[][] bits(Path file, Precision precision, Kernels kernels, int threads, int[] tokens, int piece) {
        try (ModelRunner runner = new ModelRunner(file, precision, kernels, threads)) {
            return runner.bits(tokens, piece);
        }
    }

    private static int[] tokens(int count, int vocabulary) {
        return new Random(count).ints(count, 0, vocabulary).toArray();
    }

    @Test
    @Tag("width")
    void theVectorTwinHasTheWidthThatTheBuildAskedFor() {
        String bits = System.getProperty("tandem.vector.bits", "");
        assertTrue(new VectorKernels().name().contains(bits), new VectorKernels().name());
    }

    @ParameterizedTest
    @Tag("width")
    @CsvSource({
        "llama,REFERENCE",
        "qwen2,REFERENCE",
        "qwen3,REFERENCE",
        "qwen3moe,REFERENCE",
        "gemma3,REFERENCE",
        "gpt-oss,REFERENCE",
        "deepseek2,REFERENCE",
        "llama,FAST",
        "qwen2,FAST",
        "qwen3,FAST",
        "qwen3moe,FAST",
        "gemma3,FAST",
        "gpt-oss,FAST",
        "deepseek2,FAST"
    })
    void scalarEqualsVector(String name, Precision precision) {
        Path file = Golden.resource("tiny/" + name + ".gguf");
        int[] tokens = tokens(40, 1024);
        int[][] scalar = bits(file, precision, new ScalarKernels(), 1, tokens, 40);
        assertArrayEquals(scalar, bits(file, precision, new VectorKernels(), 1, tokens, 40));
        assertArrayEquals(scalar, bits(file, precision, new VectorKernels(), 2, tokens, 1));
    }

    @ParameterizedTest
    @Tag("width")
    @CsvSource({"q8_0,FAST", "q4_0,FAST", "q4_k_m,FAST", "q8_0,REFERENCE"})
    void scalarEqualsVectorOnATrainedModel(String quantisation, Precision precision) {
        Path file = Golden.shared("models/sprig-java-31m-" + quantisation + ".gguf");
        // Where the processor lacks a width its vectors are emulated, very slowly.
        int count = new VectorKernels().name().equals("vector 512-bit") ? 2 : 12;
        int[] tokens = tokens(count, 12_288);
        int[][] scalar = bits(file, precision, new ScalarKernels(), 2, tokens, count);
        assertArrayEquals(scalar, bits(file, precision, new VectorKernels(), 2, tokens, count));
    }

    @ParameterizedTest
    @CsvSource({"qwen3,REFERENCE", "qwen3,FAST", "qwen3moe,REFERENCE", "llama,FAST"})
    void threadsAndPiecesOfThePromptChangeNothing(String name, Precision precision) {
        Path file = Golden.resource("tiny/" + name + ".gguf");
        int[] tokens = tokens(140, 1024);
        int[][] alone = bits(file, precision, new VectorKernels(), 1, tokens, 1);
        for (int piece : new int[] {2, 7, 33, 64, 65, 128}) {
            assertArrayEquals(
                    alone, bits(file, precision, new VectorKernels(), 2, tokens, piece), "pieces of " + piece);
        }
    }

    @ParameterizedTest
    @CsvSource({"deepseek2-moe", "glm4moe-moe", "lfm2-dense"})
    void piecesChangeNothingWithLatentRowsSharedExpertsAndConvolutions(String name) {
        Path file = Golden.shared("archs/" + name + "-q8_0.gguf");
        int[] tokens = tokens(40, 128);
        int[][] alone = bits(file, Precision.FAST, new VectorKernels(), 1, tokens, 1);
        for (int piece : new int[] {2, 7, 33, 40}) {
            assertArrayEquals(
                    alone, bits(file, Precision.FAST, new VectorKernels(), 2, tokens, piece), "pieces of " + piece);
        }
    }

    @ParameterizedTest
    @CsvSource({"q4_k_m,FAST", "q8_0,FAST", "q8_0,REFERENCE"})
    void threadsAndPiecesChangeNothingOnATrainedModel(String quantisation, Precision precision) {
        Path file = Golden.shared("models/sprig-java-31m-" + quantisation + ".gguf");
        int[] tokens = tokens(66, 12_288);
        int[][] alone = bits(file, precision, new VectorKernels(), 1, tokens, 1);
        for (int piece : new int[] {2, 7, 33, 64, 65}) {
            assertArrayEquals(
                    alone, bits(file, precision, new VectorKernels(), 2, tokens, piece), "pieces of " + piece);
        }
    }
}
