package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Manual pages and completion scripts hold every command and option, and the tools that read them take them. */
class ManPageTests {
    @TempDir
    Path folder;

    private static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return text;
    }

    private static String plain(String page) {
        return page.replace("\\-", "-").replace("\\(dq", "\"").replace("\\(rs", "\\");
    }

    @Test
    void everyCommandHasAPageWithEveryOption() {
        CommandLine root = HelpTests.root();
        Map<String, String> pages = ManPages.pages(root);
        assertEquals(root.getSubcommands().size(), pages.size(), "one for each but help, and one for all");
        root.getSubcommands().forEach((name, command) -> {
            if (name.equals("help")) {
                return;
            }
            String page = plain(Objects.requireNonNull(pages.get("tandem-" + name)));
            for (OptionSpec option : command.getCommandSpec().options()) {
                String term = String.join(", ", option.names());
                assertEquals(
                        1,
                        page.lines()
                                .filter(line -> line.equals(term) || line.startsWith(term + " "))
                                .count(),
                        name + " " + term);
            }
            assertTrue(page.contains("tandem-" + name + " - "), page);
            assertFalse(page.contains("${") || page.contains("%n"), page);
        });
        String all = plain(Objects.requireNonNull(pages.get("tandem")));
        for (Variables variable : Variables.values()) {
            assertTrue(all.contains("\n" + variable + "\n"), all);
        }
    }

    @Test
    void groffReadsThePagesWithoutAWarning() throws IOException, InterruptedException {
        Tools.require("groff");
        ManPages.main(new String[] {folder.toString()});
        for (String name : List.of("tandem", "tandem-run", "tandem-chat", "tandem-config")) {
            String file =
                    folder.resolve("man").resolve("man1").resolve(name + ".1").toString();
            assertEquals("", output("groff", "-man", "-ww", "-Kutf8", "-Tutf8", "-z", file), name);
            String shown = output("groff", "-man", "-Kutf8", "-Tutf8", "-P-c", "-P-b", "-P-u", file);
            assertTrue(shown.contains(name.replace("-", "\u2010") + " \u2010 ") || shown.contains(name + " - "), shown);
            shown.lines().forEach(line -> assertTrue(line.length() <= 80, line));
        }
    }

    @Test
    void bashCompletesCommandsOptionsAndValues() throws IOException, InterruptedException {
        Tools.require("bash");
        Path script = Files.writeString(
                folder.resolve("tandem"), CliRun.tandem("completion", "bash").out());
        assertTrue(complete(script, "tandem", "do").contains("doctor"));
        assertTrue(complete(script, "tandem", "run", "--prec").contains("--precision"));
        assertEquals(List.of("fast", "reference"), complete(script, "tandem", "run", "--precision", ""));
        assertEquals(List.of("zsh"), complete(script, "tandem", "completion", "z"));
    }

    /** What a bash that has read the script offers for the last word. */
    private static List<String> complete(Path script, String... words) throws IOException, InterruptedException {
        String quoted = "'" + String.join("' '", words) + "'";
        String program = "source '" + script + "'; compopt() { :; }; COMP_WORDS=(" + quoted + "); COMP_CWORD="
                + (words.length - 1)
                + "; COMP_LINE=\"${COMP_WORDS[*]}\"; COMP_POINT=${#COMP_LINE}; _complete_tandem; printf '%s\\n'"
                + " \"${COMPREPLY[@]}\"";
        return output("bash", "--norc", "-c", program).lines().toList();
    }

    @Test
    void bothShellsGetTheSameScript() {
        assertEquals(
                CliRun.tandem("completion", "bash").out(),
                CliRun.tandem("completion", "ZSH").out());
        CliRun.Result wrong = CliRun.tandem("completion", "fish");
        assertEquals(ExitCode.USAGE.number(), wrong.exitCode());
        assertTrue(wrong.err().contains("'fish' is not one of bash, zsh"), wrong.err());
    }
}
