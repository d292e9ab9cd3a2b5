package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChatCommandTests {
    /** Shows the messages' contents and nothing else, so that chat and run get the same prompt. */
    private static final String PLAIN = "{% for m in messages %}{{ m.content }}{% endfor %}";

    @TempDir
    Path folder;

    private static String[] chat(String... more) {
        List<String> args = new ArrayList<>(List.of("chat", "-m", CliRun.tinyModel(), "-n", "12"));
        args.addAll(List.of(more));
        return args.toArray(String[]::new);
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private static String continuation(String prompt) {
        return CliRun.tandem("run", "-m", CliRun.tinyModel(), "-n", "12", prompt)
                .out();
    }

    @Test
    void answersOnceWithTheGivenTemplate() throws IOException {
        String template = file("plain.jinja", PLAIN).toString();
        CliRun.Result result = CliRun.tandem(chat("-p", "hello", "--template", template));

        assertEquals(0, result.exitCode(), result.err());
        assertEquals(continuation("hello"), result.out());
        assertTrue(
                result.err()
                        .lines()
                        .toList()
                        .getLast()
                        .matches(".* tokens? in .*, context 15 of 512; ended by --max-tokens"),
                result.err());
    }

    @Test
    void aWrongTemplateIsNamedWithItsLine() throws IOException {
        String template = file("bad.jinja", "{% for m in messages %}\n{{ m. }}").toString();
        CliRun.Result result = CliRun.tandem(chat("-p", "hello", "--template", template));

        assertEquals(ExitCode.USAGE.number(), result.exitCode(), result.err());
        assertTrue(result.err().contains(template), result.err());
        assertTrue(result.err().contains("leave --template out"), result.err());
    }

    @Test
    void allOfStandardInputIsOneMessage() {
        String answer = CliRun.tandem(chat("-p", "one\ntwo")).out();

        assertFalse(answer.isEmpty());
        assertEquals(answer, new CliRun().reading("one\ntwo\n").run(chat()).out());
        assertEquals(
                answer, new CliRun().reading("one\ntwo\n").run(chat("-p", "-")).out());
    }

    @Test
    void filesGoBeforeTheMessageInTheirOrder() throws IOException {
        String a = file("a.txt", "first\n").toString();
        String b = file("b.txt", "second").toString();
        String expected = CliRun.tandem(chat("-p", "first\n\nsecond\n\nhello")).out();

        assertEquals(
                expected, CliRun.tandem(chat("-f", a, "-f", b, "-p", "hello")).out());
        assertEquals(
                expected,
                new CliRun()
                        .reading("second")
                        .run(chat("-f", a, "-f", "-", "-p", "hello"))
                        .out());
    }

    @Test
    void theSystemMessageGoesFirst() throws IOException {
        String template = file("plain.jinja", PLAIN).toString();
        CliRun.Result result = CliRun.tandem(chat("--template", template, "--system", "be brief. ", "-p", "hello"));

        assertEquals(continuation("be brief. hello"), result.out());
    }

    @Test
    void goesOnWithASavedConversation() throws IOException {
        String template = file("plain.jinja", PLAIN).toString();
        String saved = file(
                        "talk.json",
                        "{\"messages\": [{\"role\": \"user\", \"content\": \"a \"},"
                                + " {\"role\": \"assistant\", \"content\": \"b \"}]}")
                .toString();

        assertEquals(
                continuation("a b hello"),
                CliRun.tandem(chat("--template", template, "--load", saved, "-p", "hello"))
                        .out());
    }

    @Test
    void draftsDoNotChangeTheAnswer() {
        String plain = CliRun.tandem(chat("-p", "hello")).out();
        CliRun.Result drafted = CliRun.tandem(chat("-p", "hello", "--draft", "auto"));

        assertEquals(plain, drafted.out(), drafted.err());
    }

    @Test
    void aModelWithoutATemplateIsNamedWithTheWayOut() throws IOException {
        byte[] bytes = Files.readAllBytes(Path.of(CliRun.tinyModel()));
        String text = new String(bytes, StandardCharsets.ISO_8859_1)
                .replace("tokenizer.chat_template", "tokenizer.chat_tempXate");
        Path model = Files.write(folder.resolve("plain.gguf"), text.getBytes(StandardCharsets.ISO_8859_1));
        CliRun.Result result = CliRun.tandem("chat", "-m", model.toString(), "-p", "x");

        assertAll(
                () -> assertEquals(2, result.exitCode()),
                () -> assertTrue(result.err().contains("plain.gguf has no chat template"), result.err()),
                () -> assertTrue(result.err().contains("--template FILE"), result.err()));
    }

    @Test
    void aTemplateWithoutASystemRoleRefusesASystemMessage() throws IOException {
        String template = file("user.jinja", "{{ messages[-1].content }}").toString();
        CliRun.Result result = CliRun.tandem(chat("--template", template, "--system", "be brief", "-p", "x"));

        assertEquals(2, result.exitCode());
        assertTrue(result.err().contains("no place for a system message"), result.err());
    }

    @Test
    void aBrokenTemplateIsNamedWithItsLine() throws IOException {
        String template = file("broken.jinja", "a\n{{ (").toString();
        CliRun.Result result = CliRun.tandem(chat("--template", template, "-p", "x"));

        assertEquals(2, result.exitCode());
        assertTrue(result.err().contains("broken.jinja") && result.err().contains("line 2"), result.err());
    }

    @Test
    void thoughtsAreLeftOutOfAPipeUnlessAskedFor() throws IOException {
        // The prompt opens a thought that the small model, being random, never closes.
        String template = file("thinks.jinja", PLAIN + "{% if add_generation_prompt %}<think>\n{% endif %}")
                .toString();
        CliRun.Result hidden = CliRun.tandem(chat("--template", template, "-p", "hello"));
        CliRun.Result shown = CliRun.tandem(chat("--template", template, "-p", "hello", "--think", "on"));

        assertEquals("", hidden.out());
        assertTrue(shown.out().startsWith("<think>\n"), shown.out());
        assertTrue(shown.out().length() > "<think>\n\n</think>\n\n".length(), shown.out());
        assertTrue(shown.err().contains("no switch for thinking"), shown.err());
    }

    @Test
    void aMessageThatDoesNotFitIsRefused() {
        CliRun.Result result =
                CliRun.tandem(chat("--ctx", "16", "-p", "a b c d e f g h i j k l m n o p q r s t u v w"));

        assertEquals(2, result.exitCode());
        assertTrue(result.err().contains("tokens, but the context holds 16"), result.err());
        assertTrue(result.err().contains("--context-full shift"), result.err());
    }

    @Test
    void aFullContextEndsTheAnswerOrTheCommandAsChosen() throws IOException {
        String template = file("plain.jinja", PLAIN).toString();
        String[] full = {"chat", "-m", CliRun.tinyModel(), "--ctx", "16", "--template", template, "-p", "hello"};
        CliRun.Result stopped = CliRun.tandem(full);
        List<String> strict = new ArrayList<>(List.of(full));
        strict.addAll(List.of("--context-full", "error"));
        CliRun.Result failed = CliRun.tandem(strict.toArray(String[]::new));

        assertAll(
                () -> assertEquals(0, stopped.exitCode()),
                () -> assertTrue(stopped.err().contains("ended because the context is full"), stopped.err()),
                () -> assertEquals(2, failed.exitCode()),
                () -> assertEquals(stopped.out(), failed.out()),
                () -> assertTrue(failed.err().contains("the context of 16 tokens is full after"), failed.err()));
    }

    @Test
    void shiftLeavesOutTheOldestTurnAndSaysSo() throws IOException {
        CliRun.Result before = shifting("20");
        CliRun.Result during = shifting("30");

        assertAll(
                () -> assertEquals(continuation("s hello"), before.out()),
                () -> assertTrue(before.err().contains("the oldest 2 messages left out"), before.err()),
                // Here the first tokens were chosen with the old turn in view.
                () -> assertFalse(during.out().isEmpty()),
                () -> assertFalse(continuation("s hello").equals(during.out())),
                () -> assertTrue(during.err().contains("the oldest 2 messages left out"), during.err()),
                () -> assertTrue(during.err().contains(", 12 tokens in "), during.err()),
                () -> assertTrue(during.err().endsWith("of 30; ended by --max-tokens\n"), during.err()));
    }

    private CliRun.Result shifting(String context) throws IOException {
        String template = file("plain.jinja", PLAIN).toString();
        String saved = file(
                        "talk.json",
                        "{\"messages\": [{\"role\": \"system\", \"content\": \"s \"},"
                                + " {\"role\": \"user\", \"content\": \"a b c d e f g h \"},"
                                + " {\"role\": \"assistant\", \"content\": \"i j k l m n o p \"}]}")
                .toString();
        return CliRun.tandem(chat(
                "--ctx", context, "--context-full", "shift", "--template", template, "--load", saved, "-p", "hello"));
    }

    @Test
    void anInterruptionKeepsWhatWasAnswered() {
        CliRun.Result result = new CliRun().interruptedAtFirstOutput().run(chat("-p", "hello"));

        assertEquals(130, result.exitCode());
        assertTrue(CliRun.tandem(chat("-p", "hello")).out().startsWith(result.out()), result.out());
        assertTrue(result.err().endsWith("; interrupted\n"), result.err());
    }
}
