package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Types into a chat of the built distribution as a user does, on a terminal of its own. */
@Timeout(240)
class ChatTerminalIT {
    private static final Path JAR = CliRun.root()
            .resolve("cli")
            .resolve("target")
            .resolve("dist")
            .resolve("tandem.jar")
            .toAbsolutePath();
    private static final int ROWS = 60;

    @TempDir
    Path folder;

    @BeforeEach
    void requireTmux() {
        Tools.require("tmux");
    }

    @AfterEach
    void endTerminal() throws IOException, InterruptedException {
        if (Files.exists(folder.resolve("socket"))) {
            tmux("kill-server");
        }
    }

    private String tmux(String... args) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("tmux", "-S", folder.resolve("socket").toString(), "-f", "/dev/null"));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    private void type(String... keys) throws IOException, InterruptedException {
        List<String> args = new ArrayList<>(List.of("send-keys"));
        args.addAll(List.of(keys));
        tmux(args.toArray(String[]::new));
    }

    /** The screen's lines, once they hold a text. */
    private List<String> await(String text) throws IOException, InterruptedException {
        return await(
                text, screen -> String.join(" ", screen).replaceAll("\\s+", " ").contains(text));
    }

    private void awaitLineEnding(String text) throws IOException, InterruptedException {
        await(
                text,
                screen -> screen.stream().anyMatch(line -> line.stripTrailing().endsWith(text)));
    }

    private List<String> await(String text, Predicate<List<String>> there) throws IOException, InterruptedException {
        List<String> screen = List.of();
        for (int i = 0; i < 300; i++) {
            screen = tmux("capture-pane", "-p").lines().toList();
            if (there.test(screen)) {
                return screen;
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
        return fail("'" + text + "' did not appear:\n" + String.join("\n", screen));
    }

    private void start(int columns, String term) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        // The shell must outlive a Ctrl-C that the terminal sends to both.
        String command = "trap : INT; env -u COLUMNS " + (term.isEmpty() ? "" : "TERM=" + term) + " XDG_DATA_HOME="
                + folder.resolve("data") + " " + java + " --add-modules=jdk.incubator.vector -jar " + JAR
                + " chat -n 8 -m " + CliRun.tinyModel() + "; echo left=$?; sleep 300";
        tmux("new-session", "-d", "-x", Integer.toString(columns), "-y", Integer.toString(ROWS), "sh", "-c", command);
    }

    @ParameterizedTest
    @CsvSource({"40, ''", "80, dumb", "200, ''"})
    void chatsOnATerminalOfAnyWidth(int columns, String term) throws IOException, InterruptedException {
        start(columns, term);
        await("Ctrl-D leaves");
        // A dumb terminal cannot show completions, and gets none.
        if (term.equals("dumb")) {
            type("-l", "/help");
        } else {
            type("-l", "/he");
            type("Tab");
            awaitLineEnding("/help");
        }
        type("Enter");
        List<String> help = await("keeps what there is");
        assertTrue(help.stream().anyMatch(line -> line.contains("/regenerate")), help.toString());
        type("-l", "/sav x");
        type("Enter");
        await("did you mean");
        type("-l", "one \\");
        type("Enter");
        type("-l", "two");
        type("M-Enter");
        type("-l", "three");
        type("Enter");
        await(" of 512");
        Path saved = folder.resolve("t.json");
        type("-l", "/save " + saved);
        type("Enter");
        await("saved)");
        assertTrue(Files.readString(saved).contains("\"one \\ntwo\\nthree\""), Files.readString(saved));
        if (term.equals("dumb")) {
            // What is typed there stays with the terminal until Enter: every prompt is an empty one.
            type("C-c");
        } else {
            discardsALine(columns);
            type("C-d");
        }
        await("left=0");
        assertHistory();
    }

    private void discardsALine(int columns) throws IOException, InterruptedException {
        type("-l", "never sent");
        type("C-c");
        type("-l", "/rese");
        type("Enter");
        List<String> screen = await("unknown command '/rese'");
        screen.forEach(line -> assertTrue(line.length() <= columns, line));
    }

    private void assertHistory() throws IOException {
        Path history = folder.resolve("data").resolve("tandem").resolve("chat-history");
        assertTrue(Files.readString(history).contains("/help"), Files.readString(history));
        assertFalse(Files.readString(history).contains("never sent"), Files.readString(history));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(history.getParent())));
    }
}
