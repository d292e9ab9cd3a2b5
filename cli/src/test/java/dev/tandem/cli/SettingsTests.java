package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Defaults from a file: found, checked, and overruled by what is typed. */
class SettingsTests {
    @TempDir
    Path folder;

    private Environment environment = CliRun.NOTHING;

    @BeforeEach
    void environment() {
        environment = new Environment(Map.of("XDG_CONFIG_HOME", folder.toString()), "Linux", folder);
    }

    private Path usual(String text) throws IOException {
        Path file = Settings.usualFile(environment);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private CliRun.Result tandem(String... args) {
        return new CliRun().in(environment).run(args);
    }

    private int tokens(String... more) {
        CliRun.Result result =
                tandem(Stream.concat(Stream.of("run", "-m", CliRun.tinyModel(), "--json", "hello"), Stream.of(more))
                        .toArray(String[]::new));
        assertEquals(0, result.exitCode(), result.err());
        return result.json().get("ids").size();
    }

    @Test
    void theCommandLineWinsOverTheCommandsOwnKeyAndThatOverTheCommonOne() throws IOException {
        usual("max-tokens = 3\n");
        assertEquals(3, tokens());
        usual("max-tokens = 3\nrun.max-tokens = 4\nchat.max-tokens = 5\n");
        assertEquals(4, tokens());
        assertEquals(2, tokens("-n", "2"));
    }

    @Test
    void theOptionWinsOverTheVariableAndThatOverTheUsualFile() throws IOException {
        usual("max-tokens = 3");
        String byVariable = file("v.properties", "max-tokens = 4").toString();
        String byOption = file("o.properties", "max-tokens = 5").toString();
        environment = new Environment(
                Map.of("XDG_CONFIG_HOME", folder.toString(), Settings.VARIABLE, byVariable), "Linux", folder);
        assertEquals(4, tokens());
        assertEquals(5, tokens("--config", byOption));
        assertEquals(5, tokens("--config=" + byOption));
    }

    @Test
    void aModelMayComeFromTheFile() throws IOException {
        usual("model = " + CliRun.tinyModel() + "\nmax-tokens = 2\n");
        CliRun.Result result = tandem("run", "--json", "hello");
        assertEquals(2, result.json().get("ids").size(), result.err());
        assertTrue(result.json().get("model").asString().endsWith("qwen3.gguf"), result.out());
    }

    @ParameterizedTest
    @CsvSource({
        "max-token = 3, 'sets ''max-token'', which no command has; did you mean ''max-tokens''?'",
        "run.tempp = 1, 'sets ''run.tempp'', which no command has; did you mean ''run.temp''?'",
        "chat.ignore-eos = true, 'sets ''chat.ignore-eos'', which no command has'",
        "frob = 1, 'sets ''frob'', which no command has'",
        "config = x, 'sets ''config'', which no command has'",
        "verbose = true, 'sets verbose, a switch, which nothing on the command line could take back'",
        "'temp=1\ntemp=2', 'sets temp twice'",
        "'system = \\u12', 'has a \\u that four hexadecimal digits do not follow'"
    })
    void aWrongKeyIsAnErrorOfEveryCommandButHelp(String text, String message) throws IOException {
        Path file = usual(text);
        for (String command : List.of("doctor", "config", "run")) {
            CliRun.Result result = tandem(command);
            assertAll(
                    () -> assertEquals(ExitCode.USAGE.number(), result.exitCode()),
                    () -> assertTrue(result.err().startsWith("tandem: " + file + " " + message), result.err()),
                    () -> assertEquals("", result.out()));
        }
        assertEquals(0, tandem("run", "--help").exitCode());
        assertEquals(0, tandem("help", "run").exitCode());
        assertEquals(0, tandem("--version").exitCode());
    }

    @ParameterizedTest
    @CsvSource({"temp = warm, '''warm'' is not a number'", "temp = -1, --temp -1.0 is not a number from 0 up"})
    void aWrongValueNamesTheFile(String text, String message) throws IOException {
        Path file = usual(text);
        CliRun.Result result = tandem("run", "-m", CliRun.tinyModel(), "x");
        assertEquals(ExitCode.USAGE.number(), result.exitCode());
        assertTrue(result.err().contains(message), result.err());
        assertTrue(result.err().endsWith(" It is set in " + file + ".\n"), result.err());
        assertTrue(!tandem("run", "-m", CliRun.tinyModel(), "x", "--temp", "-2")
                .err()
                .contains("It is set in"));
    }

    @Test
    void aNamedFileMustBeThere() {
        CliRun.Result result = tandem("doctor", "--config", "/nowhere/at/all");
        assertEquals(ExitCode.USAGE.number(), result.exitCode());
        assertTrue(result.err().startsWith("tandem: /nowhere/at/all does not exist"), result.err());
        assertTrue(tandem("doctor", "--config").err().contains("--config"), "the parser complains");
    }

    @Test
    void configShowsTheFileItsSettingsAndTheEnvironment() throws IOException {
        Path usual = Settings.usualFile(environment);
        assertTrue(tandem("config").out().startsWith("no file of defaults; " + usual + " would be read\n"));
        usual("temp = 0.5\nchat.system = Grüße, \\\n  kurz.\n");
        String text = tandem("config").out();
        assertTrue(text.startsWith(usual + "\n"), text);
        assertTrue(text.contains("chat.system = Grüße, kurz.  for chat\n"), text);
        assertTrue(text.lines().anyMatch(line -> line.matches(" +temp = 0.5 +for run, chat, bench")), text);
        for (Variables variable : Variables.values()) {
            assertTrue(text.contains(variable.name()), text);
        }
        JsonNode json = tandem("config", "--json").json();
        assertEquals("0.5", json.get("settings").get("temp").asString());
        assertEquals(usual.toString(), json.get("file").asString());
    }
}
