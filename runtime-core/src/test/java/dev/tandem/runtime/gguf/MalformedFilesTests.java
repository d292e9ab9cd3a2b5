package dev.tandem.runtime.gguf;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.ModelFileException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The hostile and odd files of an independent generator are accepted and refused as it expects. */
final class MalformedFilesTests {
    private static final Pattern CASE =
            Pattern.compile("\"file\": \"([^\"]+)\",\\s*\"case\": \"[^\"]+\",\\s*\"accept\": (true|false)");

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    data_mem_size_overflow     | tensor 'my_tensor_0': offset 0 plus
                    header_bad_magic           | header: magic
                    header_bad_n_kv            | header: metadata count
                    header_bad_version_0       | header: version
                    header_bad_version_1       | header: version
                    kv_bad_align               | metadata key 'general.alignment': value 13
                    kv_bad_type                | metadata key 'my_key_0': value type
                    kv_duplicate_key           | metadata key 'my_key_0': the key occurs twice
                    kv_wrong_type_align        | metadata key 'general.alignment': type is i32
                    tensors_bad_n_dims         | tensor 'my_tensor_0': dimension count 5
                    tensors_bad_name_size      | tensor number 1: name length 87
                    tensors_bad_shape          | tensor 'my_tensor_0': dimension 1
                    tensors_bad_type           | tensor 'my_tensor_0': type 43
                    tensors_duplicate_name     | tensor 'my_tensor': the name occurs twice
                    tensors_inconsistent_align | tensor 'my_tensor_1': offset 592
                    tensors_ne_too_big         | tensor 'my_tensor_0': dimension 2
                    """)
    void refusesAndNamesFileAndField(String name, String field) throws IOException {
        assertEquals(false, expectations().get(name + ".gguf"));
        refuses(copy(name + ".gguf"), field);
    }

    @ParameterizedTest
    @ValueSource(strings = {"header_empty", "kv_random_kv", "tensors_success"})
    void accepts(String name) throws IOException {
        assertEquals(true, expectations().get(name + ".gguf"));
        try (GgufFile file = GgufFile.open(copy(name + ".gguf"))) {
            assertEquals(3, file.version());
        }
    }

    @Test
    void treatsFilesWithDataAsExpected() {
        Path data = TestData.folder("gguf-malformed");
        refuses(data.resolve("data_bad_align.gguf"), "metadata key 'general.alignment': value 13");
        refuses(data.resolve("data_not_enough_data.gguf"), "tensor 'my_tensor_76': data is followed by 15 of 16");
        try (GgufFile file = GgufFile.open(data.resolve("data_custom_align.gguf"))) {
            assertAll(
                    () -> assertEquals(1, file.alignment()),
                    () -> assertEquals(
                            77, file.tensors().size() + file.otherTensors().size()),
                    () -> assertTrue(file.hasData()));
        }
    }

    @Test
    void agreesWithTheGeneratorOnEveryCase() {
        Path data = TestData.folder("gguf-malformed");
        Map<String, Boolean> expected = expectations();
        assertEquals(22, expected.size());
        Map<String, Boolean> found = new TreeMap<>();
        for (String name : expected.keySet()) {
            found.put(name, opens(data.resolve(name)));
        }
        assertEquals(expected, found);
    }

    private static boolean opens(Path path) {
        try (GgufFile file = GgufFile.open(path)) {
            return file.version() > 0;
        } catch (ModelFileException e) {
            return false;
        }
    }

    private static void refuses(Path path, String field) {
        ModelFileException refusal = assertThrows(ModelFileException.class, () -> GgufFile.open(path));
        String message = Objects.requireNonNull(refusal.getMessage());
        assertTrue(message.startsWith(path + ": " + field), message);
    }

    private Path copy(String name) throws IOException {
        return Files.write(folder.resolve(name), resource(name));
    }

    private static Map<String, Boolean> expectations() {
        Matcher cases = CASE.matcher(new String(resource("expected.json"), StandardCharsets.UTF_8));
        Map<String, Boolean> accept = new TreeMap<>();
        cases.results().forEach(c -> accept.put(c.group(1), Boolean.valueOf(c.group(2))));
        return accept;
    }

    private static byte[] resource(String name) {
        try (InputStream in =
                Objects.requireNonNull(MalformedFilesTests.class.getResourceAsStream("malformed/" + name))) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
