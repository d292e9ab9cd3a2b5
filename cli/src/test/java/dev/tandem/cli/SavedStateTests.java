package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** Texts and chats go on in another process. */
class SavedStateTests {
    @TempDir
    Path folder;

    private static CliRun.Result tandem(String command, String... more) {
        List<String> args = new ArrayList<>(List.of(command, "-m", CliRun.tinyModel(), "--temp", "0.8"));
        args.addAll(List.of(more));
        return CliRun.tandem(args.toArray(String[]::new));
    }

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    @Test
    void aTextGoesOnWithoutItsPromptAndAsIfItHadNotEnded() {
        String whole = tandem("run", "-n", "24", "hello").out();
        CliRun.Result first = tandem("run", "-n", "10", "hello", "--save-state", file("a"));
        CliRun.Result second = tandem("run", "-n", "6", "--load-state", file("a"), "--save-state", file("a"));
        CliRun.Result third = tandem("run", "-n", "8", "--threads", "1", "--load-state", file("a"));

        assertEquals(0, third.exitCode(), third.err());
        assertEquals(whole, first.out() + second.out() + third.out());
        assertTrue(third.err().contains("1 prompt token in"), third.err());
    }

    @Test
    void aPromptRunsOnlyWhatItDoesNotShareWithTheState() {
        tandem("run", "-n", "0", "hello hello hello", "--save-state", file("a"));
        CliRun.Result shared = tandem("run", "-n", "8", "hello hello hello you", "--load-state", file("a"));
        CliRun.Result whole = tandem("run", "-n", "8", "hello hello hello you");

        assertEquals(whole.out(), shared.out());
        assertTrue(2 * promptTokens(shared) < promptTokens(whole), shared.err() + whole.err());
    }

    /** How many were run, by the last line. */
    private static int promptTokens(CliRun.Result result) {
        String last = result.err().lines().toList().getLast();
        return Integer.parseInt(last.substring(0, last.indexOf(' ')));
    }

    @Test
    void aChatGoesOnWithItsConversation() throws IOException {
        String template = Files.writeString(
                        folder.resolve("t.jinja"), "{% for m in messages %}<{{ m.content }}>{% endfor %}")
                .toString();
        String[] both = {"-n", "5", "--template", template, "--system", "be brief"};
        List<String> first = new ArrayList<>(List.of(both));
        first.addAll(List.of("-p", "one", "--save-state", file("a")));
        String answer = tandem("chat", first.toArray(String[]::new)).out();
        List<String> second = new ArrayList<>(List.of(both));
        second.addAll(List.of("-p", "two", "--load-state", file("a")));
        CliRun.Result later = tandem("chat", second.toArray(String[]::new));

        Path talk = Files.writeString(
                folder.resolve("talk.json"),
                Json.print(Json.object()
                        .set(
                                "messages",
                                Json.object()
                                        .arrayNode()
                                        .add(message("system", "be brief"))
                                        .add(message("user", "one"))
                                        .add(message("assistant", answer)))));
        CliRun.Result expected =
                tandem("chat", "-n", "5", "--template", template, "-p", "two", "--load", talk.toString());
        assertEquals(0, later.exitCode(), later.err());
        assertEquals(expected.out(), later.out());
    }

    private static ObjectNode message(String role, String content) {
        return Json.object().put("role", role).put("content", content);
    }

    @Test
    void aStateThatDoesNotFitIsRefusedBeforeAnythingIsGenerated() {
        tandem("run", "-n", "2", "hello", "--save-state", file("a"));
        CliRun.Result refused = tandem("run", "--load-state", file("a"), "--precision", "reference");

        assertEquals(ExitCode.USAGE.number(), refused.exitCode());
        assertEquals("", refused.out());
        assertTrue(refused.err().contains("Add --precision fast --kv f16, or save a new one."), refused.err());
    }

    @Test
    void aPlaceThatCannotBeWrittenIsToldBeforeTheWork() {
        CliRun.Result result = tandem("run", "hello", "--save-state", file("absent/a"));

        assertEquals(ExitCode.OUTPUT.number(), result.exitCode());
        assertEquals("", result.out());
        assertTrue(result.err().contains("its folder does not exist"), result.err());
    }

    @Test
    void aStateWithoutAConversationIsStillAPromptCache() {
        tandem("run", "-n", "2", "hello", "--save-state", file("a"));
        CliRun.Result result = tandem("chat", "-n", "3", "-p", "hello", "--load-state", file("a"));

        assertEquals(0, result.exitCode(), result.err());
        assertTrue(result.err().contains("holds no conversation"), result.err());
    }
}
