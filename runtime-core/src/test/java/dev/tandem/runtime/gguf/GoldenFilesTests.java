package dev.tandem.runtime.gguf;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.TensorInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files written by the usual converters open and hold what their description says. */
final class GoldenFilesTests {
    @ParameterizedTest
    @ValueSource(strings = {"models", "tiny", "archs", "tokenizers"})
    void opensEveryFile(String name) throws IOException {
        List<Path> paths;
        try (Stream<Path> entries = Files.list(TestData.folder(name))) {
            paths = entries.filter(path -> path.toString().endsWith(".gguf")).toList();
        }
        assertFalse(paths.isEmpty());
        for (Path path : paths) {
            try (GgufFile file = GgufFile.open(path)) {
                assertTrue(file.hasData(), path::toString);
                assertFalse(file.metadata().keys().isEmpty() && file.tensors().isEmpty(), path::toString);
                long bytes =
                        file.tensors().stream().mapToLong(TensorInfo::bytes).sum();
                assertTrue(bytes <= file.totalBytes(), path::toString);
            }
        }
    }

    @Test
    void readsTheDemoModel() {
        Path path = TestData.folder("models").resolve("sprig-java-31m-q8_0.gguf");
        try (GgufFile file = GgufFile.open(path)) {
            TensorInfo embedding = file.tensor("token_embd.weight").orElseThrow();
            assertAll(
                    () -> assertEquals("qwen3", file.architecture()),
                    () -> assertEquals(Optional.of(8L), file.metadata().integer("qwen3.block_count")),
                    () -> assertEquals(
                            12_288,
                            file.metadata()
                                    .texts("tokenizer.ggml.tokens")
                                    .orElseThrow()
                                    .size()),
                    () -> assertEquals(List.of(12_288L, 512L), embedding.shape()),
                    () -> assertEquals(DType.Q8_0, embedding.type()),
                    () -> assertEquals(
                            12_288L * 512 / 32 * 34, file.data(embedding).byteSize()));
        }
    }
}
