package dev.tandem.runtime.chat.jinja;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.Golden;
import dev.tandem.spi.InferenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The language does what Jinja2 does.
 *
 * <p>The table was made by Jinja2 3.1.6 in a sandbox with {@code trim_blocks}, {@code lstrip_blocks}, loop controls and
 * {@code do}, with the functions that model repositories add, and with {@code safe} and {@code escape} giving plain
 * strings. A case is a template and its text, or the fact that it is an error.
 */
class LanguageTests {
    static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-30T12:34:56Z"), ZoneOffset.UTC);

    @TestFactory
    @SuppressWarnings("unchecked")
    Stream<DynamicTest> agreesWithJinja2() throws IOException {
        JsonNode table = JsonMapper.shared()
                .readTree(Files.readString(Golden.resource("dev/tandem/runtime/chat/jinja/language.json")));
        Map<String, Object> variables = JsonMapper.shared().convertValue(table.get("variables"), Map.class);
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode row : table.get("cases")) {
            String source = row.get("template").asString();
            tests.add(DynamicTest.dynamicTest(source, () -> {
                if (row.has("error")) {
                    InferenceException error = assertThrows(InferenceException.class, () -> render(source, variables));
                    assertTrue(error.getMessage().contains("line "), error.getMessage());
                } else {
                    assertEquals(row.get("out").asString(), render(source, variables));
                }
            }));
        }
        assertTrue(tests.size() > 900, "the table has only " + tests.size() + " cases");
        return tests.stream();
    }

    static String render(String source, Map<String, Object> variables) {
        return JinjaTemplate.parse("template", source).render(variables, CLOCK, Limits.DEFAULT);
    }
}
