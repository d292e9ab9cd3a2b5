package dev.tandem.cli;

import dev.tandem.runtime.chat.ChatCapabilities.Feature;
import dev.tandem.runtime.chat.ChatMessage;
import dev.tandem.runtime.decode.StopReason;
import dev.tandem.runtime.decode.Timings;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.InferenceException;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** A chat: takes messages and commands one after the other until the user leaves. */
final class ChatLoop {
    private final Context context;
    private final Console console;
    private final LoadedModel loaded;
    private final Responder responder;
    private final Conversation conversation;
    private final LongFunction<SamplingOptions> sampling;
    private final Setup setup;
    private Thinking thinking;
    private Timings total = new Timings(0, 0, 0, 0);
    private int answers;
    private long attempt;
    private @Nullable Answer last;

    /**
     * What a chat begins with.
     *
     * @param thinking whether the model thinks first
     * @param files text that stands before the first message; may be empty
     * @param draftStatistics whether each answer tells what became of the guesses
     * @param policy what happens where the context is full
     */
    record Setup(Thinking thinking, String files, boolean draftStatistics, ContextPolicy policy) {}

    /**
     * A chat.
     *
     * @param sampling options for the n-th attempt at one answer, from 0
     */
    ChatLoop(
            Context context,
            LoadedModel loaded,
            Responder responder,
            Conversation conversation,
            LongFunction<SamplingOptions> sampling,
            Setup setup) {
        this.context = context;
        this.console = context.console();
        this.loaded = loaded;
        this.responder = responder;
        this.conversation = conversation;
        this.sampling = sampling;
        this.setup = setup;
        this.thinking = setup.thinking();
    }

    /** Answers one message, with the files before it. */
    Answer answerOnce(String message) {
        conversation.user(setup.files() + message);
        return answer(null);
    }

    /** Chats until the user leaves. */
    void run(ChatInput input) {
        greet();
        String files = setup.files();
        Optional<String> typed = input.next();
        while (typed.isPresent()) {
            String line = typed.get();
            if (SlashCommand.isCommand(line)) {
                if (!command(line, input)) {
                    return;
                }
            } else if (!line.isBlank() && send(files + line, input)) {
                files = "";
            }
            typed = input.next();
        }
    }

    private void greet() {
        console.sayDimmed(loaded.model().file().id().file() + ", " + loaded.description() + ", context "
                + loaded.model().contextRows() + " (when full: "
                + setup.policy().name().toLowerCase(Locale.ROOT) + ")");
        console.sayDimmed("/help lists the commands; Ctrl-C stops an answer; Ctrl-D leaves");
        if (!setup.files().isEmpty()) {
            console.sayDimmed("the files go before your first message");
        }
    }

    /** Sends a message; false where it could not be answered and was not taken. */
    private boolean send(String message, ChatInput input) {
        attempt = 0;
        conversation.user(message);
        return tryAnswer(input, null);
    }

    /** Answers the newest message; where that fails the conversation is as it was before. */
    private boolean tryAnswer(ChatInput input, @Nullable ChatMessage earlier) {
        try {
            Answer given = answer(input);
            if (given.isEmpty()) {
                restore(earlier);
                console.sayDimmed(
                        earlier == null
                                ? "(nothing was answered; the message is not kept)"
                                : "(nothing was answered; the earlier answer is kept)");
            } else if (earlier != null && given.stopReason() == StopReason.CANCELLED) {
                restore(earlier);
                console.sayDimmed("(stopped: the earlier answer is kept)");
            }
            return !given.isEmpty();
        } catch (UsageException | ModelFileException e) {
            if (setup.policy() == ContextPolicy.ERROR && e.code() == ErrorCode.CONTEXT_FULL) {
                throw e;
            }
            restore(earlier);
            report(e);
            return false;
        }
    }

    private void restore(@Nullable ChatMessage earlier) {
        while (conversation.isAnswered()) {
            conversation.removeLast();
        }
        if (earlier == null) {
            conversation.removeLast();
        } else {
            conversation.answer(earlier);
        }
    }

    private void report(InferenceException failure) {
        new ErrorReporter(console).report(failure);
    }

    private Answer answer(@Nullable ChatInput input) {
        SamplingOptions options = sampling.apply(attempt);
        Answer given;
        try (AnswerView view = new AnswerView(console, thinking.style(console.terminal()))) {
            given = responder.answer(
                    conversation,
                    thinking,
                    options,
                    view,
                    input == null ? context.interruption()::isRequested : input.answering(),
                    console);
        } finally {
            if (input != null) {
                input.answered();
            }
        }
        conversation.answer(given.message());
        total = Answer.plus(total, given.timings());
        answers++;
        last = given;
        if (setup.draftStatistics()) {
            printDraft(given);
        }
        console.sayDimmed(given.summary(loaded));
        return given;
    }

    private void printDraft(Answer given) {
        given.parts()
                .getLast()
                .draft()
                .ifPresent(did ->
                        console.err(DraftReport.table(did, console.terminal().errColumns())));
    }

    /** Carries out a command; false where it is to leave. */
    private boolean command(String line, ChatInput input) {
        try {
            SlashCommand.Call call = SlashCommand.parse(line);
            switch (call.command()) {
                case EXIT -> {
                    return false;
                }
                case HELP -> console.err(SlashCommand.help(console.terminal().errColumns()));
                case RESET -> reset();
                case SYSTEM -> system(call.argument());
                case SAVE -> save(call.argument());
                case LOAD -> load(call.argument());
                case STATS -> stats();
                case REGENERATE -> regenerate(input);
                case THINK -> think(call.argument());
            }
        } catch (UsageException e) {
            if (setup.policy() == ContextPolicy.ERROR && e.code() == ErrorCode.CONTEXT_FULL) {
                throw e;
            }
            report(e);
        }
        return true;
    }

    private void reset() {
        conversation.reset();
        console.sayDimmed("(the conversation is forgotten"
                + (conversation.system().isPresent() ? ", but not the system message)" : ")"));
    }

    private void system(String text) {
        if (text.isEmpty()) {
            console.sayDimmed(conversation.system().orElse("(there is no system message)"));
            return;
        }
        boolean removes = text.equals("-");
        if (!removes) {
            requireSystemRole(responder);
        }
        conversation.system(removes ? Optional.empty() : Optional.of(text));
        console.sayDimmed(removes ? "(the system message is removed)" : "(the system message is set)");
    }

    /**
     * Makes sure that a system message would be seen.
     *
     * @throws UsageException where the template has no place for one
     */
    static void requireSystemRole(Responder responder) {
        if (!responder.capabilities().has(Feature.SYSTEM_ROLE)) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "the model's chat template has no place for a system message",
                    "Say it in the first message instead.");
        }
    }

    private void save(String name) {
        ConversationFile.save(path(name), conversation);
        console.sayDimmed("(" + Text.plural(conversation.size(), "message") + " saved)");
    }

    private void load(String name) {
        ConversationFile.load(path(name), console, conversation);
        console.sayDimmed("(" + Text.plural(conversation.size(), "message") + " loaded)");
    }

    private static Path path(String name) {
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "'" + Text.oneLine(name) + "' is no file name", "Give another.", e);
        }
    }

    private void stats() {
        int context = loaded.model().contextRows();
        Answer newest = last;
        Table table = new Table(1)
                .row("messages", Integer.toString(conversation.size()))
                .row("of those left out", Integer.toString(conversation.leftOut()))
                .row("answers", Integer.toString(answers))
                .row("prompt tokens run", Integer.toString(total.promptTokens()))
                .row("prompt speed", Text.rate(total.prefillPerSecond()))
                .row("tokens generated", Integer.toString(total.decodedTokens()))
                .row("generation speed", Text.rate(total.decodePerSecond()));
        if (newest != null) {
            table.row("context", Math.min(newest.contextTokens(), context) + " of " + context);
        }
        console.err(table.render(0, console.terminal().errColumns()));
        if (newest != null) {
            printDraft(newest);
        }
    }

    private void regenerate(ChatInput input) {
        if (!conversation.isAnswered()) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "there is no answer to give again", "Send a message first.");
        }
        ChatMessage earlier = conversation.removeLast();
        attempt++;
        if (sampling.apply(attempt).temperature() == 0) {
            console.sayDimmed("(at temperature 0 the answer is the same; --temp changes that)");
        }
        tryAnswer(input, earlier);
    }

    private void think(String argument) {
        thinking = Arrays.stream(Thinking.values())
                .filter(value -> value.name().equalsIgnoreCase(argument))
                .findFirst()
                .orElseThrow(() -> new UsageException(
                        ErrorCode.BAD_ARGUMENT,
                        "/think '" + Text.oneLine(argument) + "' is not one of on, off, auto",
                        "Type it as: /think on."));
        warnWithoutSwitch(console, responder, thinking);
    }

    /** Says where the model cannot be told whether to think. */
    static void warnWithoutSwitch(Console console, Responder responder, Thinking thinking) {
        if (thinking != Thinking.AUTO && !responder.capabilities().thinkingCanBeSwitched()) {
            console.sayDimmed("(the chat template has no switch for thinking: only what is shown changes)");
        }
    }
}
