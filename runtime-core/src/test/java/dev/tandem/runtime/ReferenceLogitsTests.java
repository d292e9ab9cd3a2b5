package dev.tandem.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.backend.cpu.vector.VectorKernels;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.Architectures;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every supported architecture against logits of an independent engine, on random Q8_0 weights.
 *
 * <p>Nothing is named here but what is not supported: an architecture that {@link Architectures} lists is found by the
 * name that its file gives. That engine rounds activations to 8 bits too, so FAST is what is compared.
 */
final class ReferenceLogitsTests {
    private static final String ENDING = "-q8_0.gguf";
    private static final double LARGEST_ERROR = 1e-3;

    /** Architectures that have a file here and no class yet. */
    private static final Set<String> NOT_SUPPORTED = Set.of("gpt2", "qwen35", "qwen35moe", "qwen3next");

    @ParameterizedTest
    @MethodSource("dev.tandem.runtime.model.Architectures#ids")
    void aSupportedArchitectureGivesTheLogitsOfTheReference(String architecture) throws IOException {
        Path model = Objects.requireNonNull(files().get(architecture), architecture + " has no file in archs");
        try (GgufFile reference = GgufFile.open(
                model.resolveSibling(model.getFileName().toString().replace(".gguf", ".logits.gguf")))) {
            int[] tokens = bits(reference, "tokens");
            float[] expected = floats(bits(reference, "logits"));
            float[] logits = logits(model, tokens);
            assertEquals(expected.length, logits.length, "values of " + tokens.length + " rows");
            double error = normalisedSquaredError(expected, logits);
            assertTrue(error <= LARGEST_ERROR, architecture + ": normalised mean squared error " + error);
        }
    }

    @Test
    void everyFileIsTestedOrListedAsNotSupported() throws IOException {
        Set<String> left = new TreeSet<>(files().keySet());
        left.removeAll(Architectures.ids());
        assertEquals(new TreeSet<>(NOT_SUPPORTED), left, "files whose architecture is not supported");
    }

    /** Model files by the architecture that they name. */
    private static Map<String, Path> files() throws IOException {
        Map<String, Path> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(Golden.shared("archs"))) {
            for (Path path : all.filter(p -> p.toString().endsWith(ENDING)).toList()) {
                try (GgufFile file = GgufFile.open(path)) {
                    Path other = files.put(file.architecture(), path);
                    assertTrue(other == null, path + " and " + other + " are of one architecture");
                }
            }
        }
        return files;
    }

    private static float[] logits(Path model, int[] tokens) {
        try (ModelRunner runner = new ModelRunner(model, Precision.FAST, new VectorKernels(), 1)) {
            return floats(Stream.of(runner.bits(tokens, tokens.length))
                    .flatMapToInt(IntStream::of)
                    .toArray());
        }
    }

    /** 32-bit values of a tensor as they lie in the file; the stored shape of the logits has its dimensions swapped. */
    private static int[] bits(ModelView file, String name) {
        TensorInfo tensor = file.tensor(name).orElseThrow();
        return file.data(tensor).toArray(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN));
    }

    private static float[] floats(int[] bits) {
        float[] values = new float[bits.length];
        for (int i = 0; i < bits.length; i++) {
            values[i] = Float.intBitsToFloat(bits[i]);
        }
        return values;
    }

    private static double normalisedSquaredError(float[] expected, float[] actual) {
        double difference = 0;
        double size = 0;
        for (int i = 0; i < expected.length; i++) {
            double e = expected[i];
            difference += (actual[i] - e) * (actual[i] - e);
            size += e * e;
        }
        return difference / size;
    }
}
