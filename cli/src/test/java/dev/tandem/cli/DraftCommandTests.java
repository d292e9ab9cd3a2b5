package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Guessing ahead on the command line. */
class DraftCommandTests {
    private static final String MODEL = CliRun.tinyModel();

    @TempDir
    Path folder;

    @Test
    void aRunWithGuessesHasTheSameTextAndSaysWhatTheyWereWorth() {
        String[] plain = {"run", "-m", MODEL, "-n", "40", "--ignore-eos", "--json", "one two one two one two one"};
        String[] drafted = {
            "run",
            "-m",
            MODEL,
            "-n",
            "40",
            "--ignore-eos",
            "--json",
            "--draft",
            "ngram",
            "--draft-depth",
            "fixed",
            "one two one two one two one"
        };
        JsonNode without = CliRun.tandem(plain).json();
        JsonNode with = CliRun.tandem(drafted).json();
        assertEquals(without.get("ids"), with.get("ids"));
        assertFalse(without.has("draft"));
        JsonNode draft = with.get("draft");
        assertEquals(
                List.of(
                        "strategy",
                        "parked",
                        "passes",
                        "rounds",
                        "tokens",
                        "drafted",
                        "accepted",
                        "tokens_per_pass",
                        "acceptance_by_position",
                        "ms"),
                List.copyOf(draft.propertyNames()));
        assertEquals("ngram", draft.get("strategy").asString());
        assertTrue(draft.get("rounds").asInt() > 0, draft.toString());
        assertEquals(39, draft.get("tokens").asInt());
    }

    @Test
    void theStatisticsAreATableOnStandardError() {
        CliRun.Result result = CliRun.tandem(
                "run", "-m", MODEL, "-n", "20", "--ignore-eos", "--draft", "ngram", "--draft-stats", "a b a b a b a");
        assertEquals(0, result.exitCode());
        assertTrue(result.err().contains("tokens per pass"), result.err());
        assertFalse(result.out().contains("tokens per pass"));
    }

    @Test
    void strategiesAreListedWithReasonAndRemedy() {
        CliRun.Result text = CliRun.tandem("drafts", "-m", MODEL);
        assertEquals(0, text.exitCode());
        assertTrue(text.out().contains("ngram: fits"), text.out());
        assertTrue(text.out().contains("dflash: does not fit"), text.out());
        assertTrue(text.out().contains("--draft-model"), text.out());
        JsonNode strategies =
                CliRun.tandem("drafts", "-m", MODEL, "--json").json().get("strategies");
        assertEquals(2, strategies.size());
        assertFalse(strategies.get(0).get("fits").asBoolean());
        assertTrue(strategies.get(1).get("fits").asBoolean());
    }

    @Test
    void whatCannotBeIsToldBeforeAnythingIsLoaded() {
        refused("--draft-stats", "run", "-m", MODEL, "--draft-stats", "x");
        refused("--threads 9999", "run", "-m", MODEL, "--threads", "9999", "x");
        refused("--draft-max 0", "run", "-m", MODEL, "--draft", "ngram", "--draft-max", "0", "x");
        refused("--draft-budget -1", "run", "-m", MODEL, "--draft", "ngram", "--draft-budget", "-1", "x");
        refused("chain", "run", "-m", MODEL, "--draft", "ngram", "--draft-shape", "ring", "x");
    }

    @Test
    void anUnknownStrategyIsAnsweredWithTheKnownOnes() {
        CliRun.Result result = CliRun.tandem("run", "-m", MODEL, "--draft", "dflsh", "x");
        assertEquals(2, result.exitCode());
        assertTrue(result.err().contains("dflsh") && result.err().contains("ngram"), result.err());
    }

    @Test
    void aDrafterThatDoesNotFitIsNamedWithBothNumbers() {
        CliRun.Result result = CliRun.tandem("run", "-m", MODEL, "--draft", "dflash", "--draft-model", MODEL, "x");
        assertEquals(2, result.exitCode());
        assertTrue(result.err().contains("dflash") && result.err().contains("qwen3"), result.err());
    }

    private static void refused(String word, String... args) {
        CliRun.Result result = CliRun.tandem(args);
        assertEquals(2, result.exitCode(), result.err());
        assertTrue(result.err().contains(word), result.err());
    }

    @Test
    void theBenchmarkComparesTextsOverPromptFiles() throws IOException {
        Path prompts = folder.resolve("prompts.jsonl.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(prompts))) {
            out.write("{\"question\": \"a b a b a\"}\n\n{\"turns\": [\"c d c d\", \"e\"]}\n{\"prompt\": \"unread\"}\n"
                    .getBytes(StandardCharsets.UTF_8));
        }
        String[] args = {
            "bench",
            "-m",
            MODEL,
            "-n",
            "12",
            "-r",
            "1",
            "--prompts",
            prompts.toString(),
            "--limit",
            "2",
            "--draft",
            "ngram",
            "--sweep",
            "--draft-budget",
            "2",
            "--json"
        };
        JsonNode row = CliRun.tandem(args).json().get("results").get(0);
        assertEquals(2, row.get("count").asInt());
        assertTrue(row.get("same_text").asBoolean());
        assertTrue(row.get("gain").get("median").asDouble() > 0);
        assertEquals(List.of("1", "2"), List.copyOf(row.get("fixed_gain").propertyNames()));
    }

    @Test
    void theBenchmarkWithoutPromptsMakesOneUp() {
        CliRun.Result result = CliRun.tandem("bench", "-m", MODEL, "-p", "8", "-n", "4", "-r", "2");
        assertEquals(0, result.exitCode());
        assertTrue(result.out().contains("made-up prompt, 1 prompt"), result.out());
        assertTrue(result.out().contains("plain"), result.out());
        assertFalse(result.out().contains("guessing"), result.out());
    }

    @Test
    void badPromptFilesAreNamedWithTheirLine() throws IOException {
        Path prompts = folder.resolve("prompts.jsonl");
        Files.writeString(prompts, "{\"prompt\": \"a\"}\n{\"answer\": \"b\"}\n");
        refused("line 2", "bench", "-m", MODEL, "--prompts", prompts.toString());
        Files.writeString(prompts, "nothing\n");
        refused("line 1: no JSON object", "bench", "-m", MODEL, "--prompts", prompts.toString());
        refused(
                "missing.txt",
                "bench",
                "-m",
                MODEL,
                "--prompts",
                folder.resolve("missing.txt").toString());
    }
}
