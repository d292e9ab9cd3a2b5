package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code inspect}, {@code doctor}, {@code logits} and {@code perplexity}. */
class ReportCommandTests {
    @TempDir
    Path folder;

    @Test
    void inspectShowsModelTokenizerWeightsAndMemory() {
        CliRun.Result result = CliRun.tandem("inspect", CliRun.tinyModel(), "--ctx", "100");

        assertEquals(0, result.exitCode(), result.err());
        for (String part : List.of(
                "qwen3.block_count",
                "qwen3: 3 layers, hidden size 64, vocabulary 1024, context 512",
                "attention: 4 heads on 2 of keys and values, 32 columns",
                "rope: base 1000000, 32 of 32 columns in halves, no scaling",
                "window: all positions",
                "kind gpt2, pre-tokenizer qwen2, ",
                "1024 tokens",
                "special tokens: eos 1022 <|im_end|>",
                "BF16",
                "memory for a context of 100",
                "tandem can run this model")) {
            assertTrue(result.out().contains(part), part + " is not in " + result.out());
        }
        assertFalse(result.out().contains("blk.0.attn_q.weight"), "tensors only on request");
    }

    @Test
    void inspectListsTensorsAndTheGraphOnRequest() {
        String text = CliRun.tandem("inspect", CliRun.tinyModel(), "--tensors", "--graph")
                .out();

        assertTrue(text.matches("(?s).*blk\\.0\\.attn_q\\.weight +BF16 +128 x 64 +16\\.0 KiB.*"), text);
        assertTrue(text.contains("graph qwen3"), text);
    }

    @Test
    void inspectFitsNarrowAndWideTerminals() {
        for (int columns : new int[] {40, 200}) {
            String text = new CliRun()
                    .on(CliRun.terminalOf(columns))
                    .run("inspect", CliRun.tinyModel())
                    .out();
            // A path is not broken, however long.
            text.lines()
                    .filter(line -> !line.contains(".gguf"))
                    .forEach(line -> assertTrue(line.length() <= columns, line));
        }
    }

    @Test
    void inspectJsonHasTheDocumentedKeys() {
        JsonNode report = CliRun.tandem("inspect", CliRun.tinyModel(), "--json", "--tensors", "--graph")
                .json();

        assertEquals(
                List.of(
                        "file",
                        "version",
                        "bytes",
                        "has_data",
                        "architecture",
                        "supported",
                        "problems",
                        "parts",
                        "metadata",
                        "model",
                        "tokenizer",
                        "parameters",
                        "types",
                        "memory",
                        "tensors",
                        "graph"),
                List.copyOf(report.propertyNames()));
        JsonNode tokens = report.get("metadata").get("tokenizer.ggml.tokens");
        assertEquals("string[1024]", tokens.get("type").asString());
        assertEquals(1024, tokens.get("count").asInt());
        assertEquals(64, tokens.get("value").size());
        assertEquals(
                64,
                report.get("metadata")
                        .get("qwen3.embedding_length")
                        .get("value")
                        .asInt());
        // 3 layers, keys and values, 2 heads of 32, 512 positions, 2 bytes.
        assertEquals(
                3 * 2 * 2 * 32 * 512 * 2,
                report.get("memory").get("kv_f16_bytes").asLong());
        assertEquals(
                3 * 2 * 2 * 32 * 512 * 4,
                report.get("memory").get("kv_f32_bytes").asLong());
    }

    @Test
    void inspectJsonTellsWhatWasUnderstood() {
        JsonNode report = CliRun.tandem("inspect", CliRun.tinyModel(), "--json").json();
        JsonNode model = report.get("model");
        assertEquals(
                List.of(
                        "layers",
                        "hidden",
                        "vocabulary",
                        "context",
                        "notes",
                        "attention",
                        "rope",
                        "query_scales",
                        "convolutions",
                        "experts",
                        "unused_keys",
                        "unused_tensors"),
                List.copyOf(model.propertyNames()));
        JsonNode rope = model.get("rope").get(0);
        assertEquals("[0,1,2]", rope.get("layers").toString());
        assertEquals(1_000_000, rope.get("base").asDouble());
        assertEquals("halves", rope.get("pairs").asString());
        assertEquals("none", rope.get("scaling").asString());
        assertEquals(2, model.get("attention").get(0).get("kv_heads").asInt());
        assertEquals(0, model.get("unused_keys").size(), model.toString());
        assertEquals(0, model.get("unused_tensors").size(), model.toString());
        JsonNode tokenizer = report.get("tokenizer");
        assertEquals("gpt2", tokenizer.get("model").asString());
        assertEquals("qwen2", tokenizer.get("pre_tokenizer").asString());
        assertEquals(
                "<|im_end|>", tokenizer.get("specials").get("eos").get("text").asString());
    }

    @Test
    void inspectWarnsOfAKeyThatIsNotUsed() throws IOException {
        byte[] bytes = Files.readAllBytes(Path.of(CliRun.tinyModel()));
        int at = indexOf(bytes, "rope.freq_base");
        bytes[at + "rope.freq_b".length()] = 'o';
        Path file = Files.write(folder.resolve("misspelt.gguf"), bytes);

        String text = CliRun.tandem("inspect", file.toString()).out();
        assertTrue(text.contains("warning: 1 metadata key present but not used:\n  qwen3.rope.freq_bose\n"), text);
        assertFalse(CliRun.tandem("inspect", CliRun.tinyModel()).out().contains("warning"));
    }

    @Test
    void aContextBeyondTheTrainingIsNoticedOnce() {
        String notice = "a context of 600 tokens is longer than the 512 that the model was trained for";
        CliRun.Result beyond =
                CliRun.tandem("run", "-m", CliRun.tinyModel(), "--ctx", "600", "-n", "1", "--backend", "cpu", "hello");
        assertEquals(0, beyond.exitCode(), beyond.err());
        assertEquals(2, beyond.err().split(notice, -1).length, beyond.err());
        CliRun.Result within =
                CliRun.tandem("run", "-m", CliRun.tinyModel(), "--ctx", "512", "-n", "1", "--backend", "cpu", "hello");
        assertFalse(within.err().contains("trained"), within.err());
    }

    @Test
    void inspectShowsAModelThatCannotRunAndSaysWhy() throws IOException {
        byte[] bytes = Files.readAllBytes(Path.of(CliRun.tinyModel()));
        int at = indexOf(bytes, "qwen3");
        bytes[at] = 'x';
        Path file = Files.write(folder.resolve("unknown.gguf"), bytes);
        CliRun.Result result = CliRun.tandem("inspect", file.toString());

        assertEquals(0, result.exitCode());
        assertTrue(result.out().contains("not supported: tandem cannot run this model"), result.out());
        assertTrue(result.out().contains("architecture 'xwen3' is not supported"), result.out());
        assertTrue(result.out().contains("BF16"), result.out());
        assertFalse(CliRun.tandem("inspect", "--json", file.toString())
                .json()
                .get("supported")
                .asBoolean());
    }

    private static int indexOf(byte[] bytes, String text) {
        return new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
    }

    @Test
    void doctorShowsSystemPluginsChoiceAndModels() {
        CliRun.Result result = CliRun.tandem("doctor");

        assertEquals(0, result.exitCode(), result.err());
        for (String part :
                List.of("Java " + Runtime.version(), "cpu: backend, in use", "1. cpu device cpu", "sprig-java")) {
            assertTrue(result.out().contains(part), part + " is not in " + result.out());
        }
    }

    @Test
    void doctorNamesABrokenJarAndWhatToDo() throws IOException {
        Path jar = Files.writeString(folder.resolve("broken.jar"), "no archive");
        CliRun.Result result = CliRun.tandem("doctor", "--plugins", folder.toString());

        assertEquals(0, result.exitCode());
        assertTrue(result.out().contains(jar.toString()), result.out());
        assertTrue(result.out().contains("    -> "), result.out());
        assertEquals(
                4,
                CliRun.tandem("doctor", "--strict", "--plugins", folder.toString())
                        .exitCode());
    }

    @Test
    void doctorJsonHasTheDocumentedKeys() throws IOException {
        Files.writeString(folder.resolve("broken.jar"), "no archive");
        JsonNode report = CliRun.tandem("doctor", "--json", "--plugins", folder.toString())
                .json();
        JsonNode plugins = report.get("plugins");
        JsonNode broken = plugins.get(plugins.size() - 1);
        assertAll(
                () -> assertEquals(
                        List.of(
                                "version",
                                "spi",
                                "java",
                                "system",
                                "processors",
                                "vector_module",
                                "plugin_directories",
                                "notices",
                                "plugins",
                                "auto",
                                "model_directory",
                                "models"),
                        List.copyOf(report.propertyNames())),
                () -> assertEquals("cpu", report.get("auto").get("backend").asString()),
                () -> assertEquals("in use", plugins.get(0).get("state").asString()),
                () -> assertEquals("refused", broken.get("state").asString()),
                () -> assertFalse(broken.get("remedy").asString().isEmpty()));
    }

    @Test
    void doctorFitsFortyColumns() {
        String text = new CliRun().on(CliRun.terminalOf(40)).run("doctor").out();

        text.lines().filter(line -> !line.contains("/")).forEach(line -> assertTrue(line.length() <= 40, line));
    }

    @Test
    void logitsListsTheLikeliestTokensFirst() {
        JsonNode report = CliRun.tandem("logits", "-m", CliRun.tinyModel(), "hello", "-k", "5", "--json")
                .json();
        JsonNode top = report.get("top");

        assertEquals(
                List.of(
                        "model",
                        "prompt_ids",
                        "top",
                        "backend",
                        "device",
                        "driver",
                        "precision",
                        "fallbacks",
                        "notices"),
                List.copyOf(report.propertyNames()));
        assertEquals(5, top.size());
        for (int i = 1; i < top.size(); i++) {
            assertTrue(
                    top.get(i - 1).get("logprob").asDouble()
                            >= top.get(i).get("logprob").asDouble(),
                    report.toString());
        }
        int greedy = CliRun.tandem("run", "-m", CliRun.tinyModel(), "hello", "-n", "1", "--json")
                .json()
                .get("ids")
                .get(0)
                .asInt();
        assertEquals(greedy, top.get(0).get("id").asInt());
    }

    @Test
    void logitsPrintsATableByDefault() {
        CliRun.Result result = CliRun.tandem("logits", "-m", CliRun.tinyModel(), "hello", "-k", "5");

        assertEquals(0, result.exitCode());
        assertEquals(6, result.out().lines().count(), result.out());
    }

    @Test
    void perplexityIsTheExponentialOfTheLoss() {
        JsonNode report = new CliRun()
                .reading("public static int sum(int[] values) { return 0; }")
                .run("perplexity", "-m", CliRun.tinyModel(), "-f", "-", "--json")
                .json();

        double loss = report.get("loss").asDouble();
        assertEquals(Math.exp(loss), report.get("perplexity").asDouble(), 1e-9);
        // Random weights know nothing: about as bad as a guess among all 1024 tokens, or worse.
        assertTrue(loss > 5 && loss < 20, report.toString());
        assertTrue(report.get("tokens").asInt() > 10, report.toString());
    }

    @Test
    void perplexityNeedsTwoTokens() {
        CliRun.Result result = new CliRun().reading("").run("perplexity", "-m", CliRun.tinyModel(), "-f", "-");

        assertEquals(2, result.exitCode());
        assertTrue(result.err().contains("and a loss needs 2"), result.err());
    }

    @Test
    void perplexityStopsWhenInterrupted() {
        CliRun.Result result = new CliRun()
                .reading("public static int sum(int[] values)")
                .interrupted()
                .run("perplexity", "-m", CliRun.tinyModel(), "-f", "-");

        assertEquals(130, result.exitCode());
        assertEquals("tandem: interrupted", result.messages().getFirst());
    }
}
