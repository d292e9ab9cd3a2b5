package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class RunCommandTests {
    private static final String[] TWELVE = {"run", "-m", CliRun.tinyModel(), "-n", "12", "hello"};

    @TempDir
    Path folder;

    private static String[] with(String... more) {
        List<String> args = new ArrayList<>(List.of(TWELVE));
        args.addAll(List.of(more));
        return args.toArray(String[]::new);
    }

    /** What the small model says; other tests compare with it. */
    private static String continuation() {
        return CliRun.tandem(with("--json")).json().get("text").asString();
    }

    @Test
    void choosesTheTokensThatAnotherImplementationChooses() {
        JsonNode golden = CliRun.tinyGolden();
        JsonNode report = new CliRun()
                .reading(golden.get("text").asString())
                .run("run", "-m", CliRun.tinyModel(), "-n", "24", "--ignore-eos", "--precision", "reference", "--json")
                .json();

        assertEquals(golden.get("ids"), report.get("prompt_ids"));
        assertEquals(golden.get("greedy_ids"), report.get("ids"));
        assertEquals("reference", report.get("precision").asString());
    }

    @Test
    void jsonHasTheDocumentedKeys() {
        CliRun.Result result = CliRun.tandem(with("--json"));
        JsonNode report = result.json();
        assertAll(
                () -> assertEquals(0, result.exitCode()),
                () -> assertEquals(
                        List.of(
                                "model",
                                "prompt_ids",
                                "ids",
                                "text",
                                "stop_reason",
                                "timings",
                                "backend",
                                "device",
                                "driver",
                                "precision",
                                "fallbacks",
                                "notices"),
                        List.copyOf(report.propertyNames())),
                () -> assertEquals(
                        List.of("load", "prefill", "decode"),
                        List.copyOf(report.get("timings").propertyNames())),
                () -> assertEquals(
                        List.of("ms", "tokens", "tokens_per_second"),
                        List.copyOf(report.get("timings").get("decode").propertyNames())),
                () -> assertEquals(12, report.get("ids").size()),
                () -> assertEquals("length", report.get("stop_reason").asString()),
                () -> assertEquals("cpu", report.get("backend").asString()),
                () -> assertEquals("fast", report.get("precision").asString()));
    }

    @Test
    void aPipeGetsTheContinuationExactly() {
        CliRun.Result result = CliRun.tandem(TWELVE);

        assertEquals(0, result.exitCode());
        assertEquals(continuation(), result.out());
    }

    @Test
    void echoPutsThePromptFirst() {
        assertEquals("hello" + continuation(), CliRun.tandem(with("--echo")).out());
    }

    @Test
    void aTerminalShowsThePromptDimmedAndEndsTheLine() {
        CliRun.Result result = new CliRun().on(CliRun.terminalOf(80)).run(TWELVE);

        assertTrue(result.out().startsWith("\033[2mhello\033[22m"), result.out());
        assertTrue(result.out().endsWith("\n"), result.out());
        String plain =
                new CliRun().on(CliRun.terminalOf(80)).run(with("--no-echo")).out();
        assertFalse(plain.contains("hello"), plain);
    }

    @Test
    void aTerminalIsNotSteeredByGeneratedControlCharacters() {
        // The small model is random: among these tokens is one that holds a control character.
        JsonNode report = CliRun.tandem("run", "-m", CliRun.tinyModel(), "-n", "24", "hello", "--json")
                .json();
        Terminal noColor = new Terminal(true, true, true, false, true, () -> 80);
        String shown = new CliRun()
                .on(noColor)
                .run("run", "-m", CliRun.tinyModel(), "-n", "24", "hello")
                .out();

        assertTrue(report.get("text").asString().chars().anyMatch(c -> c < ' ' && c != '\n'), report.toString());
        assertTrue(shown.chars().noneMatch(c -> c < ' ' && c != '\n'), shown);
    }

    @Test
    void theLastLineTellsTokensSpeedAndPlace() {
        String err = CliRun.tandem(TWELVE).err();
        String last = err.lines().toList().getLast();

        assertTrue(
                last.matches(
                        "3 prompt tokens in [0-9.]+ s \\([0-9.]+/s\\), 12 tokens in [0-9.]+ s \\([0-9.]+/s\\), cpu .*,"
                                + " fast; ended by --max-tokens"),
                last);
    }

    @Test
    void theLastLineIsBrokenBetweenWordsOnANarrowTerminal() {
        String err = new CliRun().on(CliRun.terminalOf(40)).run(TWELVE).err();

        err.replaceAll("\r\033\\[K[^\r]*", "").lines().forEach(line -> assertTrue(line.length() <= 40, line));
    }

    @Test
    void thePromptMayComeFromAFileOrAPipe() throws IOException {
        Path file = Files.writeString(folder.resolve("prompt.txt"), "hello");
        String[] noArgument = {"run", "-m", CliRun.tinyModel(), "-n", "12"};

        assertEquals(
                continuation(), new CliRun().reading("hello").run(noArgument).out());
        assertEquals(
                continuation(),
                new CliRun()
                        .reading("hello")
                        .run("run", "-m", CliRun.tinyModel(), "-n", "12", "-")
                        .out());
        assertEquals(
                continuation(),
                CliRun.tandem("run", "-m", CliRun.tinyModel(), "-n", "12", "-f", file.toString())
                        .out());
        assertEquals(
                continuation(),
                new CliRun()
                        .reading("hello")
                        .run("run", "-m", CliRun.tinyModel(), "-n", "12", "-f", "-")
                        .out());
    }

    @Test
    void stopsBeforeAStopString() {
        String whole = continuation();
        String stop = whole.substring(whole.length() / 2);
        JsonNode report = CliRun.tandem(with("--json", "--stop", stop)).json();

        assertEquals("stop", report.get("stop_reason").asString());
        assertEquals(whole.substring(0, whole.length() / 2), report.get("text").asString());
    }

    @Test
    void aBannedTokenIsNotChosen() {
        int first = CliRun.tandem(with("--json")).json().get("ids").get(0).asInt();
        JsonNode report =
                CliRun.tandem(with("--json", "--logit-bias", first + "=-inf")).json();

        report.get("ids").forEach(id -> assertTrue(id.asInt() != first, report.toString()));
    }

    @Test
    void theSameSeedGivesTheSameText() {
        String[] sampled = with("--temp", "1.5", "--top-k", "0", "--top-p", "1", "--min-p", "0", "--seed", "7");

        assertEquals(CliRun.tandem(sampled).out(), CliRun.tandem(sampled).out());
    }

    @Test
    void anInterruptionKeepsWhatWasGenerated() {
        CliRun.Result result = new CliRun().interruptedAtFirstOutput().run(TWELVE);

        assertAll(
                () -> assertEquals(130, result.exitCode()),
                () -> assertFalse(result.out().isEmpty()),
                () -> assertTrue(continuation().startsWith(result.out()), result.out()),
                () -> assertTrue(result.err().endsWith("; interrupted\n"), result.err()));
    }

    @Test
    void anInterruptionBeforeTheFirstTokenStillGivesJson() {
        CliRun.Result result = new CliRun().interrupted().run(with("--json"));

        assertEquals(130, result.exitCode());
        assertEquals("cancelled", result.json().get("stop_reason").asString());
    }

    @Test
    void aClosedPipeEndsQuietly() {
        CliRun.Result result = new CliRun().failing("Broken pipe").run(TWELVE);

        assertEquals(141, result.exitCode());
        assertEquals(List.of(), result.messages());
    }

    @Test
    void aFullDiskBehindStandardOutputIsNamed() {
        CliRun.Result result = new CliRun().failing("No space left on device").run(TWELVE);

        assertEquals(6, result.exitCode());
        assertTrue(
                result.err().contains("tandem: cannot write to standard output: No space left on device\n"),
                result.err());
    }

    @Test
    void aResultFileHoldsTheContinuationAlone() throws IOException {
        Path file = folder.resolve("out.txt");
        CliRun.Result result = CliRun.tandem(with("-o", file.toString()));

        assertEquals(0, result.exitCode());
        assertEquals("", result.out());
        assertEquals(continuation(), Files.readString(file));
    }

    @Test
    void aResultThatCannotBeSavedGoesToStandardOutput() {
        assumeTrue(Files.exists(Path.of("/dev/full")), "no /dev/full here");
        CliRun.Result result = CliRun.tandem(with("-o", "/dev/full"));

        assertEquals(6, result.exitCode());
        assertEquals(continuation(), result.out());
        assertTrue(result.err().contains("the result went to standard output instead"), result.err());
    }

    @Test
    void verboseTellsModelAndBackend() {
        String err = CliRun.tandem(with("-v")).err();

        assertTrue(err.contains("3 layers, context 512"), err);
        assertTrue(err.contains("on cpu "), err);
    }

    @Test
    void theModelThatComesWithTandemIsTheDefault() {
        CliRun.Result result = CliRun.tandem("run", "-n", "8", "--json", "public static int sum(int[] values) {");

        assertEquals(0, result.exitCode(), result.err());
        assertTrue(result.json().get("model").asString().endsWith("sprig-java-31m-q4_k_m.gguf"), result.out());
        assertEquals(8, result.json().get("ids").size());
    }

    @Test
    void aMissingDefaultModelIsNamed() {
        CliRun.Result result = new CliRun().at(folder).run("run", "x");

        assertEquals(3, result.exitCode());
        assertTrue(result.err().startsWith("tandem: the default model " + folder), result.err());
    }
}
