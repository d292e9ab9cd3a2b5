package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class StructuredOutputTests {
    @TempDir
    Path folder;

    private CliRun.Result run(String option, String file, String... more) throws IOException {
        Path path = Files.writeString(folder.resolve("form"), file);
        String[] args = {"run", "-m", CliRun.tinyModel(), "-n", "400", "--temp", "1", option, path.toString(), "hello"};
        return CliRun.tandem(
                Stream.concat(Arrays.stream(args), Arrays.stream(more)).toArray(String[]::new));
    }

    @Test
    void aGrammarShapesTheText() throws IOException {
        CliRun.Result result = run("--grammar", "root ::= [a-f]{3} \"-\" [0-9]{4}", "--json");
        assertTrue(result.json().get("text").asString().matches("[a-f]{3}-[0-9]{4}"), result.out());
        assertEquals("end", result.json().get("stop_reason").asString());
    }

    @Test
    void aSchemaMakesTheTextAJsonValueThatItAccepts() throws IOException {
        CliRun.Result result = run("--json-schema", """
                {"type": "object", "properties": {"name": {"type": "string", "maxLength": 12},
                 "age": {"type": "integer", "minimum": 0, "maximum": 150}}, "required": ["name", "age"]}""");
        JsonNode value = JsonMapper.shared().readTree(result.out());
        assertTrue(value.get("name").isString(), result.out());
        assertTrue(value.get("age").asInt() <= 150, result.out());
    }

    @Test
    void anAnswerOfAChatHasTheFormToo() throws IOException {
        Path grammar = Files.writeString(folder.resolve("form"), "root ::= [a-f]{3} \"-\" [0-9]{4}");
        // A template that begins the thoughts: they are ended before the answer.
        Path thinks = Files.writeString(
                folder.resolve("thinks"),
                "{% for m in messages %}{{ m.content }}{% endfor %}{% if add_generation_prompt %}<think>\n{% endif %}");
        for (String[] more : new String[][] {{}, {"--template", thinks.toString()}, {"--context-full", "shift"}}) {
            String[] args = {"chat", "-m", CliRun.tinyModel(), "-p", "hello", "--temp", "1", "--grammar", "" + grammar};
            CliRun.Result result = CliRun.tandem(
                    Stream.concat(Arrays.stream(args), Arrays.stream(more)).toArray(String[]::new));
            assertTrue(result.out().strip().matches("[a-f]{3}-[0-9]{4}"), result.out() + result.err());
        }
        assertRefused(
                "--think on and a form for the answer exclude each other",
                CliRun.tandem("chat", "-p", "x", "--think", "on", "--grammar", grammar.toString()));
    }

    @Test
    void whatIsWrongIsNamedByPlace() throws IOException {
        assertRefused(
                "form, line 2: rule 'a' is left-recursive", run("--grammar", "root ::= a\na ::= a \"x\" | \"y\""));
        assertRefused("form: #/not is not supported", run("--json-schema", "{\"not\": {}}"));
        assertRefused("form is no JSON: line 2:", run("--json-schema", "{\"type\":\n}"));
        assertRefused("form is no JSON: line 1:", run("--json-schema", "{} {}"));
        assertRefused(
                "--grammar and --json-schema exclude each other",
                run("--json-schema", "{}", "--grammar", folder.resolve("form").toString()));
        assertRefused(
                "nothing-here does not exist",
                CliRun.tandem("run", "--grammar", "nothing-here", "-m", CliRun.tinyModel(), "x"));
    }

    private static void assertRefused(String message, CliRun.Result result) {
        assertEquals(ExitCode.USAGE.number(), result.exitCode(), result.err());
        assertTrue(result.messages().getFirst().contains(message), result.err());
    }
}
