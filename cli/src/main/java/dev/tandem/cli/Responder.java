package dev.tandem.cli;

import dev.tandem.runtime.Model;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.chat.ChatCapabilities;
import dev.tandem.runtime.chat.ChatMessage;
import dev.tandem.runtime.chat.ChatOptions;
import dev.tandem.runtime.chat.ChatTemplate;
import dev.tandem.runtime.chat.ThoughtMarks;
import dev.tandem.runtime.chat.ThoughtSplitter;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.decode.StopReason;
import dev.tandem.runtime.grammar.TokenGrammar;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.runtime.tokenizer.EncodeOptions;
import dev.tandem.runtime.tokenizer.TokenType;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Answers conversations with a model.
 *
 * <p>Every turn renders and encodes the whole conversation; the session runs only what differs from what it holds. So an
 * answer depends on the conversation alone, not on how it came about: a saved and loaded one goes on with the same tokens.
 */
final class Responder {
    private static final String REMEDY =
            "Begin anew with /reset, leave out the oldest turns with --context-full shift, or give more room with --ctx.";

    private final Model model;
    private final Session session;
    private final ChatTemplate template;
    private final ThoughtMarks marks;
    private final boolean special;
    private final Settings settings;

    /**
     * How answers are generated.
     *
     * @param maxTokens most tokens of an answer; -1 for as many as fit
     * @param stops texts that end an answer
     * @param policy what happens where the context is full
     * @param grammar that every answer obeys from its first character on: there are no thoughts then
     */
    record Settings(int maxTokens, List<String> stops, ContextPolicy policy, Optional<TokenGrammar> grammar) {
        Settings {
            stops = List.copyOf(stops);
        }
    }

    Responder(Model model, Session session, ChatTemplate template, Settings settings) {
        this.model = model;
        this.session = session;
        this.template = template;
        this.settings = settings;
        this.marks = ThoughtMarks.of(template);
        this.special = hasControlTokens(model.tokenizer(), marks.open() + marks.close());
    }

    private static boolean hasControlTokens(Tokenizer tokenizer, String text) {
        return IntStream.of(tokenizer.encode(text, new EncodeOptions(true, false)))
                .anyMatch(id -> tokenizer.type(id) == TokenType.CONTROL);
    }

    /** What the template can express. */
    ChatCapabilities capabilities() {
        return template.capabilities(ChatOptions.defaults());
    }

    /**
     * Answers the newest message.
     *
     * @param conversation ends with a message of the user; old turns are left out where the policy says so
     * @param thinking whether the model should think first
     * @param sampling how tokens are chosen
     * @param view shows the answer, and is closed by the caller
     * @param cancelled asked between steps
     * @throws UsageException where the conversation does not fit, or the template refuses it
     */
    Answer answer(
            Conversation conversation,
            Thinking thinking,
            SamplingOptions sampling,
            AnswerView view,
            BooleanSupplier cancelled,
            Console console) {
        ChatOptions options = options(thinking);
        ThoughtSplitter splitter = new ThoughtSplitter(marks, prompt(conversation, options), view);
        List<GenerationResult> parts = new ArrayList<>();
        StringBuilder written = new StringBuilder();
        int left = settings.maxTokens();
        while (true) {
            int[] prompt = fitting(conversation, options, written.toString(), left, console);
            GenerationRequest request =
                    new GenerationRequest(prompt, left, sampling, settings.stops(), false, special, cancelled);
            GenerationResult part = session.generate(
                    settings.grammar().map(request::withGrammar).orElse(request),
                    view.listener(prompt.length, splitter));
            parts.add(part);
            written.append(part.text());
            left = left < 0 ? left : left - part.ids().length;
            // An answer that is in the middle of its form cannot go on in a prompt of other tokens.
            boolean full = part.stopReason() == StopReason.CONTEXT_FULL
                    && settings.grammar().isEmpty();
            if (!full || settings.policy() != ContextPolicy.SHIFT || left == 0 || !shift(conversation, console)) {
                break;
            }
        }
        splitter.finish();
        refuseFullContext(parts);
        return new Answer(message(view), parts);
    }

    private ChatOptions options(Thinking thinking) {
        boolean formed = settings.grammar().isPresent() && capabilities().thinkingCanBeSwitched();
        return switch (thinking) {
            case ON -> ChatOptions.defaults().withThinking(true);
            case OFF -> ChatOptions.defaults().withThinking(false);
            case AUTO -> formed ? ChatOptions.defaults().withThinking(false) : ChatOptions.defaults();
        };
    }

    /** The conversation as the model sees it; where its answer has a form, behind thoughts that a template begins. */
    private String prompt(Conversation conversation, ChatOptions options) {
        String prompt = template.render(conversation.seen(), options);
        boolean thinks =
                settings.grammar().isPresent() && prompt.stripTrailing().endsWith(marks.open());
        return thinks ? prompt + marks.close() + "\n\n" : prompt;
    }

    /** The prompt's tokens; leaves out old turns until there is room for an answer, where the policy says so. */
    private int[] fitting(Conversation conversation, ChatOptions options, String written, int left, Console console) {
        int context = model.contextRows();
        int room = settings.policy() != ContextPolicy.SHIFT ? 0 : left < 0 ? context / 4 : Math.min(left, context / 4);
        while (true) {
            int[] ids = encode(prompt(conversation, options) + written);
            if (ids.length + room <= context) {
                return ids;
            }
            if (settings.policy() != ContextPolicy.SHIFT || !shift(conversation, console)) {
                return requireFits(ids);
            }
        }
    }

    private int[] encode(String prompt) {
        return model.tokenizer().encode(prompt, new EncodeOptions(true, !template.beginsWithBos(prompt)));
    }

    private static boolean shift(Conversation conversation, Console console) {
        boolean done = conversation.leaveOutOldestTurn();
        if (done) {
            console.sayDimmed("(the context is full: the oldest " + Text.plural(conversation.leftOut(), "message")
                    + " left out)");
        }
        return done;
    }

    private void refuseFullContext(List<GenerationResult> parts) {
        GenerationResult last = parts.getLast();
        if (settings.policy() == ContextPolicy.ERROR && last.stopReason() == StopReason.CONTEXT_FULL) {
            throw new UsageException(
                    ErrorCode.CONTEXT_FULL,
                    "the context of " + model.contextRows() + " tokens is full after "
                            + Text.plural(last.ids().length, "token") + " of the answer",
                    REMEDY);
        }
    }

    private int[] requireFits(int[] ids) {
        if (ids.length > model.contextRows()) {
            throw new UsageException(
                    ErrorCode.CONTEXT_FULL,
                    "the conversation has " + ids.length + " tokens, but the context holds " + model.contextRows(),
                    REMEDY);
        }
        return ids;
    }

    private static ChatMessage message(AnswerView view) {
        return view.thoughts().isEmpty()
                ? ChatMessage.assistant(view.answer())
                : ChatMessage.assistant(view.answer(), view.thoughts());
    }
}
