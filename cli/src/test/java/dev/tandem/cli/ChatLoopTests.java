package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.Session;
import dev.tandem.runtime.chat.ChatMessage;
import dev.tandem.runtime.chat.ChatTemplate;
import dev.tandem.runtime.sampling.SamplingOptions;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChatLoopTests {
    @TempDir
    Path folder;

    private final Conversation conversation = new Conversation();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private BooleanSupplier stops = () -> false;

    @SuppressWarnings("UnusedVariable") // every attempt is the same
    private static SamplingOptions greedy(long attempt) {
        return SamplingOptions.DEFAULTS;
    }

    /** What a user types, line by line. */
    private final class Script implements ChatInput {
        private final Deque<String> lines;

        Script(String... lines) {
            this.lines = new ArrayDeque<>(List.of(lines));
        }

        @Override
        public Optional<String> next() {
            return Optional.ofNullable(lines.poll());
        }

        @Override
        public BooleanSupplier answering() {
            return stops;
        }

        @Override
        public void answered() {
            // Nothing was changed.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    private void chat(LongFunction<SamplingOptions> sampling, String files, String... lines) {
        Console console = new Console(InputStream.nullInputStream(), out, err, Terminal.NONE);
        Context context =
                new Context(console, new Interruption(), new Installation(Optional.of(CliRun.root()), CliRun.NOTHING));
        ModelArguments arguments = new ModelArguments();
        arguments.choice.model = Path.of(CliRun.tinyModel());
        try (LoadedModel loaded = LoadedModel.open(context, arguments);
                Session session = loaded.model().newSession()) {
            ChatTemplate template = ChatTemplate.of(
                    "chat template",
                    "{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}",
                    "",
                    "",
                    Clock.systemUTC());
            Responder responder = new Responder(
                    loaded.model(),
                    session,
                    template,
                    new Responder.Settings(8, List.of(), ContextPolicy.STOP, Optional.empty()));
            new ChatLoop(
                            context,
                            loaded,
                            responder,
                            conversation,
                            sampling,
                            new ChatLoop.Setup(Thinking.AUTO, files, false, ContextPolicy.STOP))
                    .run(new Script(lines));
        }
    }

    private String said() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private List<String> roles() {
        return conversation.all().stream().map(ChatMessage::role).toList();
    }

    @Test
    void keepsEveryTurnUntilTheUserLeaves() {
        chat(ChatLoopTests::greedy, "", "one", "", "  ", "two", "/exit", "three");

        assertEquals(List.of("user", "assistant", "user", "assistant"), roles());
        assertTrue(said().contains("/help lists the commands"), said());
    }

    @Test
    void filesGoBeforeTheFirstMessageOnly() {
        chat(ChatLoopTests::greedy, "text\n\n", "one", "two");

        assertEquals("text\n\none", conversation.all().get(0).content());
        assertEquals("two", conversation.all().get(2).content());
    }

    @Test
    void aLoadedConversationGoesOnAsTheOneThatWasSaved() {
        String file = folder.resolve("talk.json").toString();
        chat(ChatLoopTests::greedy, "", "/system be brief", "one", "/save " + file, "two");
        List<ChatMessage> whole = conversation.all();
        conversation.system(Optional.empty());
        conversation.reset();
        chat(ChatLoopTests::greedy, "", "/load " + file, "two");

        assertEquals(whole, conversation.all());
        assertEquals(5, whole.size());
    }

    @Test
    void regeneratesWithAnotherSeed() {
        LongFunction<SamplingOptions> random = attempt ->
                SamplingOptions.builder().temperature(3).topK(0).seed(attempt).build();
        chat(random, "", "one");
        String first = conversation.removeLast().content();
        conversation.reset();
        chat(random, "", "one", "/regenerate");

        assertEquals(List.of("user", "assistant"), roles());
        assertFalse(first.equals(conversation.removeLast().content()), first);
    }

    @Test
    void aStoppedAnswerIsKeptAndOneWithoutTextIsNot() {
        stops = () -> out.size() > 0;
        chat(ChatLoopTests::greedy, "", "one");
        String partial = conversation.all().get(1).content();
        stops = () -> true;
        chat(ChatLoopTests::greedy, "", "two", "/regenerate");

        assertAll(
                () -> assertEquals(partial, conversation.all().get(1).content()),
                () -> assertFalse(partial.isEmpty()),
                () -> assertEquals(List.of("user", "assistant"), roles()),
                () -> assertTrue(said().contains("; interrupted"), said()),
                () -> assertTrue(said().contains("nothing was answered"), said()));
    }

    @Test
    void anAnswerThatIsStoppedWhileItIsGivenAgainLeavesTheEarlierOne() {
        chat(ChatLoopTests::greedy, "", "one");
        ChatMessage whole = conversation.all().get(1);
        conversation.reset();
        int[] asked = {0};
        // The first answer is not stopped; its eight tokens ask less often than that.
        stops = () -> asked[0]++ > 14;
        chat(ChatLoopTests::greedy, "", "one", "/regenerate");

        assertEquals(whole, conversation.all().get(1));
        assertTrue(said().contains("(stopped: the earlier answer is kept)"), said());
    }

    @Test
    void aWrongCommandIsReportedAndTheChatGoesOn() {
        chat(
                ChatLoopTests::greedy,
                "",
                "/sav x",
                "/load /nowhere/at/all",
                "/regenerate",
                "/think maybe",
                "/stats",
                "/reset",
                "one");

        assertAll(
                () -> assertTrue(said().contains("did you mean '/save'?"), said()),
                () -> assertTrue(said().contains("/nowhere/at/all does not exist"), said()),
                () -> assertTrue(said().contains("there is no answer to give again"), said()),
                () -> assertTrue(said().contains("is not one of on, off, auto"), said()),
                () -> assertTrue(said().contains("generation speed"), said()),
                () -> assertEquals(List.of("user", "assistant"), roles()));
    }

    @Test
    void aMessageThatDoesNotFitIsNotKept() {
        chat(ChatLoopTests::greedy, "", "one", "word ".repeat(600), "two");

        assertEquals(List.of("user", "assistant", "user", "assistant"), roles());
        assertTrue(said().contains("tokens, but the context holds 512"), said());
    }
}
