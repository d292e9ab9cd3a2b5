package dev.tandem.runtime;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Models and results made by independent engines. */
public final class Golden {
    private Golden() {}

    /** A file among the test resources, such as {@code tiny/qwen3.gguf}. */
    public static Path resource(String name) {
        try {
            return Path.of(Objects.requireNonNull(Golden.class.getResource("/" + name), name)
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(name, e);
        }
    }

    /** A file beside the repository; without it the test is skipped, or fails where the data is required. */
    public static Path shared(String name) {
        Path file = Path.of(System.getProperty("tandem.testdata", "testdata")).resolve(name);
        String message = "golden data " + file + " is absent";
        if (Boolean.getBoolean("tandem.testdata.required")) {
            assertTrue(Files.exists(file), message);
        }
        assumeTrue(Files.exists(file), message);
        return file;
    }

    public static JsonNode json(Path file) {
        return JsonMapper.shared().readTree(file.toFile());
    }

    public static int[] ints(JsonNode array) {
        int[] values = new int[array.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = array.get(i).asInt();
        }
        return values;
    }

    public static float[] floats(Path file) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
            float[] values = new float[bytes.remaining() / 4];
            bytes.asFloatBuffer().get(values);
            return values;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
