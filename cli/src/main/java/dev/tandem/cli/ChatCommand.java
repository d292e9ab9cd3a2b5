package dev.tandem.cli;

import dev.tandem.runtime.Model;
import dev.tandem.runtime.SavedText;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.chat.ChatTemplate;
import dev.tandem.runtime.decode.StopReason;
import dev.tandem.runtime.files.OutputFile;
import dev.tandem.runtime.grammar.Grammar;
import dev.tandem.runtime.grammar.TokenGrammar;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tandem chat}: a conversation with a model. */
@Command(
        name = "chat",
        abbreviateSynopsis = true,
        sortOptions = false,
        header = "Chat with a model.",
        description = {
            "%nOn a terminal, type messages; /help lists the commands that can be typed instead. With -p one message is"
                    + " answered. Without a terminal all of standard input is one message. Only the answer goes to"
                    + " standard output.%n"
        },
        footer = {
            "%nExamples:",
            "  tandem chat --system \"Answer in one sentence.\"",
            "  tandem chat -f Main.java -p \"Write a test for this class.\" --temp 0.7"
        })
final class ChatCommand implements Callable<Integer> {
    private final Context context;

    @Mixin
    TalkArguments talk = new TalkArguments();

    @Mixin(name = "What to generate:")
    LengthArguments length = new LengthArguments();

    @Mixin(name = "What form an answer has:")
    GrammarArguments form = new GrammarArguments();

    @Mixin(name = "How tokens are chosen:")
    SamplingArguments sampling = new SamplingArguments();

    @Mixin(name = StateArguments.SECTION)
    StateArguments state = new StateArguments();

    @Mixin(name = ModelArguments.SECTION)
    ModelArguments model = new ModelArguments();

    @Mixin(name = DraftArguments.SECTION)
    DraftArguments draft = new DraftArguments();

    @Mixin
    CommonOptions help = new CommonOptions();

    /** What is said, and how. */
    static final class TalkArguments {
        @Option(
                names = {"-p", "--prompt"},
                paramLabel = "TEXT",
                description = "Answer this message and end; - is standard input.")
        @Nullable
        String message;

        @Option(names = "--system", paramLabel = "TEXT", description = "System message: how the model should behave.")
        @Nullable
        String system;

        @Option(
                names = {"-f", "--file"},
                paramLabel = "FILE",
                description = "Put the text of a file before the first message. May be given several times.")
        List<Path> files = new ArrayList<>();

        @Option(names = "--load", paramLabel = "FILE", description = "Go on with a conversation that /save wrote.")
        @Nullable
        Path load;

        @Option(
                names = "--think",
                paramLabel = "WHEN",
                description = "on: have the model think first, and show it; off: neither; auto: as its chat template"
                        + " has it, shown dimmed on a terminal, left out in a pipe. Default: auto.")
        Thinking thinking = Thinking.AUTO;

        @Option(
                names = "--context-full",
                paramLabel = "WHAT",
                description = "stop: the answer ends there, and a message that does not fit is refused; shift: the"
                        + " oldest turns are left out, but not the system message; error: the command ends. Default:"
                        + " stop.")
        ContextPolicy policy = ContextPolicy.STOP;

        @Option(
                names = "--template",
                paramLabel = "FILE",
                description = "Chat template (Jinja) to use instead of the model's own.")
        @Nullable
        Path template;

        @Option(names = "--no-history", description = "Do not keep typed messages for the next chat.")
        boolean noHistory;

        @Option(
                names = {"-v", "--verbose"},
                description = "Tell on standard error what is loaded and where it runs.")
        boolean verbose;
    }

    ChatCommand(Context context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        Console console = context.console();
        check();
        Optional<Grammar> grammar = form.toGrammar(console);
        String files = files(console);
        boolean interactive = talk.message == null
                && console.terminal().stdin()
                && console.terminal().stdout();
        Optional<String> only = interactive ? Optional.empty() : Optional.of(message(console, files));
        Path templateFile = talk.template;
        Optional<String> source =
                templateFile == null ? Optional.empty() : Optional.of(TextInput.read(templateFile, console));
        Conversation conversation = new Conversation();
        Path saved = talk.load;
        if (saved != null) {
            ConversationFile.load(saved, console, conversation);
        }
        String system = talk.system;
        if (system != null) {
            conversation.system(Optional.of(system));
        }
        try (@Nullable OutputFile kept = state.prepare().orElse(null)) {
            return chat(conversation, new Wanted(files, only, source, grammar), kept);
        }
    }

    /** Checks what can be checked without a model. */
    private void check() {
        length.check();
        if (form.isGiven() && talk.thinking == Thinking.ON) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "--think on and a form for the answer exclude each other",
                    "Leave out --think: an answer that must have a form is given without thinking.");
        }
        draft.toOptions();
        SamplingArguments.warnOfIneffective(sampling.toOptions(), context.console());
    }

    /** The text of all files, each followed by an empty line. */
    private String files(Console console) {
        StringBuilder text = new StringBuilder();
        for (Path file : talk.files) {
            text.append(TextInput.read(file, console).stripTrailing()).append("\n\n");
        }
        return text.toString();
    }

    private String message(Console console, String files) {
        String given = talk.message;
        boolean stdinIsTaken =
                talk.files.stream().anyMatch(file -> file.toString().equals(TextInput.STDIN));
        String text;
        if (given != null && !given.equals(TextInput.STDIN)) {
            text = given;
        } else {
            text = stdinIsTaken ? "" : TextInput.readStdin(console).stripTrailing();
        }
        if (text.isBlank() && files.isBlank()) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "there is no message",
                    "Give one with -p TEXT, with --file FILE, or through a pipe.");
        }
        return text;
    }

    /**
     * What was read before the model.
     *
     * @param files text before the first message
     * @param only the one message to answer; empty for a chat
     * @param template in place of the model's own
     * @param grammar that every answer obeys
     */
    private record Wanted(String files, Optional<String> only, Optional<String> template, Optional<Grammar> grammar) {}

    private int chat(Conversation conversation, Wanted wanted, @Nullable OutputFile kept) {
        Console console = context.console();
        try (LoadedModel loaded = LoadedModel.open(context, model);
                Drafting drafting = Drafting.open(context, loaded, draft, model.choice);
                Session session = drafting.newSession()) {
            Model opened = loaded.model();
            attempt(0).checkVocabulary(opened.tokenizer().vocabularySize());
            state.load(session, console).ifPresent(text -> goOn(conversation, text));
            ChatTemplate template = template(opened, wanted.template());
            Responder responder = new Responder(opened, session, template, settings(opened, wanted));
            if (conversation.system().isPresent()) {
                ChatLoop.requireSystemRole(responder);
            }
            ChatLoop.warnWithoutSwitch(console, responder, talk.thinking);
            if (talk.verbose) {
                loaded.explain(console);
            }
            LongFunction<SamplingOptions> attempts = this::attempt;
            ChatLoop loop = new ChatLoop(
                    context,
                    loaded,
                    responder,
                    conversation,
                    attempts,
                    new ChatLoop.Setup(talk.thinking, wanted.files(), draft.statistics, talk.policy));
            if (wanted.only().isPresent()) {
                Answer answer = loop.answerOnce(wanted.only().get());
                save(session, conversation, kept);
                return answer.stopReason() == StopReason.CANCELLED
                        ? ExitCode.INTERRUPTED.number()
                        : ExitCode.OK.number();
            }
            try (ChatInput input = LineEditor.open(history(console), context.interruption())) {
                loop.run(input);
            }
            save(session, conversation, kept);
            return ExitCode.OK.number();
        }
    }

    private Responder.Settings settings(Model model, Wanted wanted) {
        return new Responder.Settings(
                length.maxTokens(-1),
                length.stops,
                talk.policy,
                wanted.grammar().map(grammar -> new TokenGrammar(grammar, model.tokenizer())));
    }

    /** Takes the conversation that was saved with a state, unless one is given. */
    private void goOn(Conversation conversation, SavedText text) {
        if (text.note().isEmpty()) {
            context.console().warn("this state was not saved by a chat: it holds no conversation to go on with");
        } else if (talk.load == null) {
            ConversationFile.read(String.valueOf(state.load), text.note(), conversation);
            Optional.ofNullable(talk.system).map(Optional::of).ifPresent(conversation::system);
        }
    }

    private static void save(Session session, Conversation conversation, @Nullable OutputFile kept) {
        if (kept != null && session.tokens().length > 0) {
            session.save(kept, ConversationFile.print(conversation));
        }
    }

    /** The options for the n-th attempt at an answer: each has a seed of its own. */
    private SamplingOptions attempt(long number) {
        long seed = sampling.seed;
        sampling.seed = seed + number;
        try {
            return sampling.toOptions();
        } finally {
            sampling.seed = seed;
        }
    }

    private ChatTemplate template(Model model, Optional<String> source) {
        Tokenizer tokenizer = model.tokenizer();
        Clock clock = Clock.system(ZoneId.systemDefault());
        return source.map(text -> given(text, tokenizer, clock))
                .or(() -> ChatTemplate.of(model.file(), tokenizer, clock))
                .orElseThrow(() -> new UsageException(
                        ErrorCode.BAD_ARGUMENT,
                        model.file().id().file() + " has no chat template (" + ChatTemplate.KEY + ")",
                        "Give one with --template FILE, or complete plain text with 'tandem run'."));
    }

    /** The template of the user's, who is told what is wrong with it. */
    private ChatTemplate given(String source, Tokenizer tokenizer, Clock clock) {
        String bos = piece(tokenizer, tokenizer.bos());
        String eos = piece(tokenizer, tokenizer.eos());
        try {
            return ChatTemplate.of(String.valueOf(talk.template), source, bos, eos, clock);
        } catch (ModelFileException e) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    String.valueOf(e.getMessage()),
                    "Correct the template, or leave --template out to use the model's own.",
                    e);
        }
    }

    private static String piece(Tokenizer tokenizer, OptionalInt id) {
        return id.isPresent() ? tokenizer.piece(id.getAsInt()) : "";
    }

    /** Where messages are kept; empty where the user wants none kept, or they cannot be. */
    private Optional<Path> history(Console console) {
        if (talk.noHistory) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    DataFolder.prepare(context.installation().environment()).resolve("chat-history"));
        } catch (IOException e) {
            console.warn("messages are not kept for the next chat: " + e.getMessage());
            return Optional.empty();
        }
    }
}
