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
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class TokenizeCommandTests {
    @TempDir
    Path folder;

    private static String[] tokenize(String... more) {
        List<String> args = new ArrayList<>(List.of("tokenize", "-m", CliRun.tinyModel()));
        args.addAll(List.of(more));
        return args.toArray(String[]::new);
    }

    private static String list(JsonNode ids) {
        List<String> texts = new ArrayList<>();
        ids.forEach(id -> texts.add(Integer.toString(id.asInt())));
        return String.join(",", texts);
    }

    @Test
    void givesTheIdsOfAnotherImplementation() {
        JsonNode golden = CliRun.tinyGolden();
        JsonNode report =
                CliRun.tandem(tokenize("--json", golden.get("text").asString())).json();

        assertEquals(golden.get("ids"), report.get("ids"));
        assertEquals(golden.get("ids").size(), report.get("count").asInt());
    }

    @Test
    void writesTheTextOfIdsExactly() {
        JsonNode golden = CliRun.tinyGolden();
        String text = golden.get("text").asString();

        assertEquals(
                text, CliRun.tandem(tokenize("--ids", list(golden.get("ids")))).out());
        assertEquals(
                text,
                CliRun.tandem(tokenize("--ids", "[" + list(golden.get("ids")).replace(",", ", ") + "]"))
                        .out());
        JsonNode report = CliRun.tandem(tokenize("--json", "--ids", list(golden.get("ids"))))
                .json();
        assertEquals(List.of("model", "count", "ids", "text"), List.copyOf(report.propertyNames()));
        assertEquals(text, report.get("text").asString());
    }

    @Test
    void aTerminalIsNotSteeredByDecodedControlCharacters() {
        String ids = list(CliRun.tandem(tokenize("--json", "a\033[2Jb")).json().get("ids"));
        String shown = new CliRun()
                .on(new Terminal(true, true, true, false, true, () -> 80))
                .run(tokenize("--ids", ids))
                .out();

        assertEquals("a\\u001b[2Jb\n", shown);
    }

    @Test
    void tellsPieceTypeBytesAndOffsetsInBytesAndCharacters() {
        JsonNode report = CliRun.tandem(tokenize("--json", "ü x<|im_end|>")).json();
        JsonNode tokens = report.get("tokens");

        assertEquals(List.of("model", "count", "ids", "tokens"), List.copyOf(report.propertyNames()));
        assertEquals(
                List.of("id", "piece", "type", "bytes", "start", "end", "char_start", "char_end"),
                List.copyOf(tokens.get(0).propertyNames()));
        // The two bytes of the umlaut, the space, the letter and the control token.
        assertEquals(
                List.of(
                        "normal c3 0-1 0-1",
                        "normal bc 1-2 0-1",
                        "normal 20 2-3 1-2",
                        "normal 78 3-4 2-3",
                        "control 3c7c696d5f656e647c3e 4-14 3-13"),
                tokens.valueStream()
                        .map(token -> token.get("type").asString() + " "
                                + token.get("bytes").asString() + " "
                                + token.get("start").asInt() + "-"
                                + token.get("end").asInt() + " "
                                + token.get("char_start").asInt() + "-"
                                + token.get("char_end").asInt())
                        .toList());
        assertEquals("<|im_end|>", tokens.get(4).get("piece").asString());
    }

    @Test
    void takesSpecialTokensAsTextOnRequest() {
        assertEquals("1\n", CliRun.tandem(tokenize("--count", "<|im_end|>")).out());
        int plain = Integer.parseInt(CliRun.tandem(tokenize("--count", "--no-special", "<|im_end|>"))
                .out()
                .strip());
        assertTrue(plain > 1, plain + " tokens");
        assertEquals("x<|im_end|>", CliRun.tandem(tokenize("--ids", "87,1022")).out());
        assertEquals(
                "x", CliRun.tandem(tokenize("--no-special", "--ids", "87,1022")).out());
    }

    @Test
    void addsBosByTheFilesRuleUnlessToldNot() {
        String model = shared("tokenizers/ggml-vocab-llama-spm.gguf").toString();
        JsonNode with =
                CliRun.tandem("tokenize", "-m", model, "--json", "Hello world").json();
        JsonNode without = CliRun.tandem("tokenize", "-m", model, "--json", "--no-bos", "Hello world")
                .json();

        assertEquals("1,15043,3186", list(with.get("ids")));
        assertEquals("15043,3186", list(without.get("ids")));
        assertEquals(0, with.get("tokens").get(0).get("end").asInt());
        assertEquals(5, with.get("tokens").get(1).get("end").asInt());
        assertEquals(
                "Hello world",
                CliRun.tandem("tokenize", "-m", model, "--ids", "15043,3186").out());
    }

    @Test
    void aModelWithoutATokenizerIsNamed() {
        CliRun.Result result = CliRun.tandem(
                "tokenize", "-m", shared("archs/llama-dense-q8_0.gguf").toString(), "x");

        assertEquals(2, result.exitCode());
        assertTrue(result.err().contains("has no tokenizer, so it runs from token ids"), result.err());
    }

    /** A file of the shared folder; the test is skipped where there is none, or fails where data is required. */
    private static Path shared(String name) {
        Path file = Path.of(System.getProperty("tandem.testdata", "testdata")).resolve(name);
        if (Boolean.getBoolean("tandem.testdata.required")) {
            assertTrue(Files.exists(file), "golden data is required, but " + file + " is absent");
        }
        assumeTrue(Files.exists(file), "golden data is absent: " + file);
        return file;
    }

    @Test
    void theTextMayComeFromAFileOrAPipe() throws IOException {
        Path file = Files.writeString(folder.resolve("text.txt"), "hello there");
        String expected = CliRun.tandem(tokenize("hello there")).out();

        assertEquals(expected, CliRun.tandem(tokenize("-f", file.toString())).out());
        assertEquals(
                expected, new CliRun().reading("hello there").run(tokenize()).out());
        assertEquals(
                expected, new CliRun().reading("hello there").run(tokenize("-")).out());
        assertEquals(
                expected,
                new CliRun().reading("hello there").run(tokenize("-f", "-")).out());
    }

    @Test
    void theTableFitsEightyColumnsAndShowsEachToken() {
        String text = "public static int sum(int[] values)\t{ \"ü🚀\" }<|im_start|>";
        CliRun.Result result = CliRun.tandem(tokenize(text));
        JsonNode tokens = CliRun.tandem(tokenize("--json", text)).json().get("tokens");
        List<String> lines = result.out().lines().toList();

        assertEquals(0, result.exitCode(), result.err());
        lines.forEach(line -> assertTrue(line.codePointCount(0, line.length()) <= 80, line));
        assertEquals(tokens.size() + 1, lines.size());
        assertEquals(
                List.of("id", "from", "to", "bytes", "piece"),
                List.of(lines.getFirst().strip().split(" +")));
        for (int i = 0; i < tokens.size(); i++) {
            assertTrue(
                    lines.get(i + 1).strip().startsWith(tokens.get(i).get("id").asString() + " "), lines.get(i + 1));
        }
        assertEquals(tokens.size() + " tokens, 60 bytes\n", result.err());
    }

    @Test
    void anEmptyTextHasNoTokens() {
        assertEquals("0\n", new CliRun().reading("").run(tokenize("--count")).out());
        assertEquals(
                "id  from  to  bytes  piece\n",
                new CliRun().reading("").run(tokenize()).out());
        assertEquals("", CliRun.tandem(tokenize("--ids", "")).out());
    }

    @Test
    void theModelThatComesWithTandemIsTheDefault() {
        JsonNode report = CliRun.tandem("tokenize", "--json", "class A {}").json();

        assertTrue(report.get("model").asString().endsWith("sprig-java-31m-q4_k_m.gguf"), report.toString());
        assertEquals(
                "class A {}",
                CliRun.tandem("tokenize", "--ids", list(report.get("ids"))).out());
    }

    @Test
    void refusesWhatMakesNoSense() {
        assertAll(
                () -> assertRefused(2, "both a text and --ids are given", tokenize("--ids", "1", "x")),
                () -> assertRefused(2, "--ids: token 1024 is not in the vocabulary", tokenize("--ids", "5,1024")),
                () -> assertRefused(2, "--ids: token -1 is not in the vocabulary", tokenize("--ids=-1")),
                () -> assertRefused(2, "--ids: 'x' is not a whole number", tokenize("--ids", "1,x")),
                () -> assertRefused(2, "--ids: '' is not a whole number", tokenize("--ids", "1,,2")),
                () -> assertRefused(2, "a text is given both as an argument and with --file", tokenize("-f", "y", "x")),
                () -> assertRefused(3, "/nowhere.gguf: no such file", "tokenize", "-m", "/nowhere.gguf", "x"));
        CliRun.Result none = new CliRun().on(CliRun.terminalOf(80)).run(tokenize());
        assertEquals(2, none.exitCode());
        assertTrue(none.err().contains("there is no text"), none.err());
    }

    private static void assertRefused(int exitCode, String message, String... args) {
        CliRun.Result result = CliRun.tandem(args);
        assertEquals(exitCode, result.exitCode(), result.err());
        assertTrue(result.err().contains(message), result.err());
        assertEquals("", result.out());
    }

    @Test
    void doctorListsTheKindsOfTokenizersAndWhatEachWasCheckedAgainst() {
        CliRun.Result result = CliRun.tandem("doctor", "--tokenizers");

        assertEquals(0, result.exitCode(), result.err());
        for (String part : List.of("gpt2 llama-bpe", "gpt2 deepseek-v3", "also chatglm-bpe", "Gemma", "not verified")) {
            assertTrue(result.out().contains(part), part + " is not in " + result.out());
        }
        assertFalse(result.out().contains("plugin"), "it replaces the rest");
        new CliRun()
                .on(CliRun.terminalOf(40))
                .run("doctor", "--tokenizers")
                .out()
                .lines()
                .forEach(line -> assertTrue(line.length() <= 40, line));
    }

    @Test
    void doctorJsonListsTheKindsOfTokenizers() {
        JsonNode kinds =
                CliRun.tandem("doctor", "--tokenizers", "--json").json().get("tokenizers");

        assertEquals(
                List.of("model", "name", "aliases", "verified", "evidence"),
                List.copyOf(kinds.get(0).propertyNames()));
        assertEquals(
                "vectors",
                kinds.valueStream()
                        .filter(kind -> kind.get("name").asString().equals("qwen2"))
                        .map(kind -> kind.get("evidence").asString())
                        .collect(Collectors.joining()));
    }
}
