package dev.tandem.runtime.chat;

import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What stands around a model's thoughts in its answer, as its chat template writes it.
 *
 * @param open stands before the thoughts, without white space around it
 * @param close stands between thoughts and answer
 * @param plain stands before an answer without thoughts; empty for most
 */
public record ThoughtMarks(String open, String close, String plain) {
    /** What most models write, with or without their template's knowledge. */
    public static final ThoughtMarks USUAL = new ThoughtMarks("<think>", "</think>", "");

    private static final String THOUGHT = "zqThoughtWord";
    private static final String ANSWER = "zqAnswerWord";
    private static final Pattern LAST_TAG = Pattern.compile("(<[^<>]+>|\\[[^\\[\\]]+])$");

    /**
     * Finds the marks of a template: renders an answer with thoughts and looks at what surrounds them.
     *
     * @param template of the model
     * @return {@link #USUAL} where the template shows no thoughts
     */
    public static ThoughtMarks of(ChatTemplate template) {
        ChatMessage user = ChatMessage.user("zqUserWord");
        ChatOptions options = ChatOptions.defaults();
        Optional<String> prompt = render(template, options, user);
        Optional<String> thinking =
                render(template, options.withGenerationPrompt(false), user, ChatMessage.assistant(ANSWER, THOUGHT));
        if (prompt.isEmpty() || thinking.isEmpty()) {
            return USUAL;
        }
        String whole = thinking.get();
        int thought = whole.indexOf(THOUGHT);
        int answer = whole.indexOf(ANSWER, thought + 1);
        if (thought < 0 || answer < 0) {
            return USUAL;
        }
        String open = whole.substring(shared(prompt.get(), whole), thought).strip();
        if (open.isEmpty()) {
            open = lastTag(whole.substring(0, thought).strip());
        }
        String close = whole.substring(thought + THOUGHT.length(), answer).strip();
        if (open.isEmpty() || close.isEmpty()) {
            return USUAL;
        }
        String plain = render(template, options.withGenerationPrompt(false), user, ChatMessage.assistant(ANSWER))
                .map(text -> before(prompt.get(), text))
                .orElse("");
        return new ThoughtMarks(open, close, plain.contains(close) || plain.contains(open) ? "" : plain);
    }

    private static String before(String prompt, String whole) {
        int answer = whole.indexOf(ANSWER);
        int start = shared(prompt, whole);
        return start < answer ? whole.substring(start, answer).strip() : "";
    }

    /** Length of the common beginning, taken back to the beginning of a tag that it would cut. */
    private static int shared(String prompt, String whole) {
        int length = PromptDelta.between(prompt, whole).keptCharacters();
        int tag = whole.lastIndexOf('<', length - 1);
        return tag >= 0 && whole.indexOf('>', tag) >= length ? tag : length;
    }

    private static String lastTag(String text) {
        Matcher tag = LAST_TAG.matcher(text);
        return tag.find() ? tag.group() : "";
    }

    private static Optional<String> render(ChatTemplate template, ChatOptions options, ChatMessage... messages) {
        try {
            return Optional.of(template.render(List.of(messages), options));
        } catch (UsageException | ModelFileException e) {
            return Optional.empty();
        }
    }
}
