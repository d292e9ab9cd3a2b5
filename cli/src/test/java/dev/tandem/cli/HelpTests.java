package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.SpiVersion;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class HelpTests {
    static Stream<String> pages() {
        return Stream.concat(Stream.of(""), root().getSubcommands().keySet().stream());
    }

    static CommandLine root() {
        Console console = new Console(
                InputStream.nullInputStream(),
                OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(),
                Terminal.NONE);
        return new Tandem(new Context(console, new Interruption(), new Installation(Optional.empty(), CliRun.NOTHING)))
                .commandLine();
    }

    private static CliRun.Result help(String command, Terminal terminal) {
        CliRun run = new CliRun().on(terminal);
        return command.isEmpty() ? run.run("--help") : run.run(command, "--help");
    }

    @ParameterizedTest
    @MethodSource("pages")
    void fitsIntoEightyColumnsInAPipeAndOnAWideTerminal(String command) {
        for (Terminal terminal : List.of(Terminal.NONE, plain(200), plain(80))) {
            CliRun.Result result = help(command, terminal);
            assertEquals(0, result.exitCode());
            assertTrue(result.out().contains("Usage: tandem"), result.out());
            result.out().lines().forEach(line -> assertTrue(line.length() <= 80, line));
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void fitsIntoFortyColumns(String command) {
        CliRun.Result result = help(command, plain(40));

        assertEquals(0, result.exitCode());
        result.out().lines().forEach(line -> assertTrue(line.length() <= 40, line));
    }

    private static Terminal plain(int columns) {
        return new Terminal(true, true, true, false, true, () -> columns);
    }

    @Test
    void everyOptionOfEveryCommandIsDescribed() {
        for (CommandLine command : root().getSubcommands().values()) {
            for (OptionSpec option : command.getCommandSpec().options()) {
                String name = command.getCommandName() + " " + option.longestName();
                assertTrue(option.description().length > 0, name);
                assertTrue(String.join(" ", option.description()).endsWith("."), name);
            }
        }
    }

    @Test
    void everyOptionOfRunIsListedOnceUnderItsHeading() {
        String page = help("run", Terminal.NONE).out();

        Objects.requireNonNull(root().getSubcommands().get("run"))
                .getCommandSpec()
                .options()
                .forEach(option -> {
                    String name = option.longestName();
                    long lines = page.lines()
                            .filter(line -> line.matches(" {2,6}(-., )?" + Pattern.quote(name) + "[= ].*"))
                            .count();
                    assertEquals(1, lines, name);
                });
        assertTrue(page.indexOf("How tokens are chosen:") < page.indexOf("--temp"), page);
        assertTrue(page.indexOf("--temp") < page.indexOf("Model and backend:"), page);
    }

    @Test
    void listsEveryExitCode() {
        String page = help("", Terminal.NONE).out();

        for (ExitCode code : ExitCode.values()) {
            assertTrue(page.contains(code.number() + "  " + code.meaning()), page);
        }
    }

    @Test
    void helpOfACommandIsThatOfItsOption() {
        assertEquals(
                help("run", Terminal.NONE).out(), CliRun.tandem("help", "run").out());
    }

    @Test
    void versionNamesBuildSpiAndJava() {
        CliRun.Result result = CliRun.tandem("--version");

        assertAll(
                () -> assertEquals(0, result.exitCode()),
                () -> assertTrue(result.out().startsWith("tandem "), result.out()),
                () -> assertTrue(result.out().contains("\nSPI " + SpiVersion.CURRENT + "\n"), result.out()),
                () -> assertTrue(result.out().contains("\nJava " + Runtime.version()), result.out()));
    }

    @Test
    void coloursOnlyWhereTheTerminalWantsThem() {
        assertTrue(help("", CliRun.terminalOf(80)).out().contains("\033["));
        assertFalse(help("", plain(80)).out().contains("\033["));
        assertFalse(help("", Terminal.NONE).out().contains("\033["));
    }
}
