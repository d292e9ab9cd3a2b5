package dev.tandem.runtime.chat;

import dev.tandem.runtime.chat.jinja.JinjaTemplate;
import dev.tandem.runtime.chat.jinja.Limits;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.model.Metadata;
import dev.tandem.spi.model.ModelView;
import java.time.Clock;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Turns a conversation into the prompt that a model was trained on. Thread-safe. */
public final class ChatTemplate {
    /** The metadata key of a file's template; a template for a purpose has a dot and its name behind it. */
    public static final String KEY = "tokenizer.chat_template";

    private static final String DEFAULT = "default";
    private static final String TOOL_USE = "tool_use";

    private final Map<String, JinjaTemplate> templates;
    private final String bos;
    private final String eos;
    private final Clock clock;
    private final Map<String, ChatCapabilities> capabilities = new TreeMap<>();

    private ChatTemplate(Map<String, JinjaTemplate> templates, String bos, String eos, Clock clock) {
        this.templates = templates;
        this.bos = bos;
        this.eos = eos;
        this.clock = clock;
    }

    /**
     * Reads a file's templates: the keys {@code tokenizer.chat_template} and {@code tokenizer.chat_template.NAME}.
     *
     * @param model an open file; it is not needed afterwards
     * @param tokenizer of that file, for the texts of its begin and end tokens
     * @param clock what a template that asks for the date reads
     * @return empty where the file has no template
     * @throws dev.tandem.spi.ModelFileException where a template is not valid, with its key, line and column
     */
    public static Optional<ChatTemplate> of(ModelView model, Tokenizer tokenizer, Clock clock) {
        Metadata metadata = model.metadata();
        Map<String, JinjaTemplate> templates = new TreeMap<>();
        for (String key : metadata.keys()) {
            boolean named = key.startsWith(KEY + ".");
            if (named || key.equals(KEY)) {
                String name = named ? key.substring(KEY.length() + 1) : DEFAULT;
                metadata.text(key).ifPresent(source -> templates.put(name, JinjaTemplate.parse(key, source)));
            }
        }
        if (templates.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                new ChatTemplate(templates, text(tokenizer, tokenizer.bos()), text(tokenizer, tokenizer.eos()), clock));
    }

    private static String text(Tokenizer tokenizer, OptionalInt id) {
        return id.isPresent() ? tokenizer.piece(id.getAsInt()) : "";
    }

    /**
     * Takes a template given as text.
     *
     * @param name for messages
     * @param source in the language Jinja
     * @param bos the text of the begin-of-sequence token; may be empty
     * @param eos the text of the end-of-sequence token; may be empty
     * @param clock what a template that asks for the date reads
     * @return the template
     * @throws dev.tandem.spi.ModelFileException where it is not valid, with line and column
     */
    public static ChatTemplate of(String name, String source, String bos, String eos, Clock clock) {
        return new ChatTemplate(Map.of(DEFAULT, JinjaTemplate.parse(name, source)), bos, eos, clock);
    }

    /**
     * The purposes that the file has templates for.
     *
     * @return their names, {@code default} for the nameless one, in alphabetical order
     */
    public Set<String> names() {
        return Collections.unmodifiableSet(new TreeSet<>(templates.keySet()));
    }

    /**
     * Renders a conversation.
     *
     * <p>With tools, the template named {@code tool_use} is taken where there is one. Special tokens are part of the
     * text: encode it with special tokens parsed, and without another begin-of-sequence token where it
     * {@linkplain #beginsWithBos begins with one}.
     *
     * @param messages in order
     * @param options tools, thinking and more
     * @return the prompt
     * @throws dev.tandem.spi.UsageException where the template refuses the conversation, with its reason
     * @throws dev.tandem.spi.ModelFileException where the template fails, with line, column and expression
     */
    public String render(List<ChatMessage> messages, ChatOptions options) {
        String name = nameFor(options);
        return render(name, capabilities(name), messages, options);
    }

    /**
     * Whether a prompt already has the begin-of-sequence token.
     *
     * @param prompt as {@link #render} gives it
     * @return false also where the model has no such token
     */
    public boolean beginsWithBos(String prompt) {
        return !bos.isEmpty() && prompt.startsWith(bos);
    }

    /**
     * What the template can express.
     *
     * @param options tools decide which of several templates is meant
     * @return found when asked for the first time
     */
    public ChatCapabilities capabilities(ChatOptions options) {
        return capabilities(nameFor(options));
    }

    private synchronized ChatCapabilities capabilities(String name) {
        return capabilities.computeIfAbsent(
                name,
                key -> new CapabilityProbe((assumed, messages, options) -> render(key, assumed, messages, options))
                        .probe());
    }

    private String nameFor(ChatOptions options) {
        String wanted = options.tools().isEmpty() ? DEFAULT : TOOL_USE;
        if (templates.containsKey(wanted)) {
            return wanted;
        }
        return templates.containsKey(DEFAULT)
                ? DEFAULT
                : templates.keySet().stream().sorted().findFirst().orElseThrow();
    }

    private String render(String name, ChatCapabilities form, List<ChatMessage> messages, ChatOptions options) {
        Map<String, Object> variables = new LinkedHashMap<>();
        variables.put("bos_token", bos);
        variables.put("eos_token", eos);
        variables.put("add_generation_prompt", options.addGenerationPrompt());
        variables.put(
                "messages",
                messages.stream().map(message -> MessageForm.of(message, form)).toList());
        if (!options.tools().isEmpty()) {
            variables.put("tools", options.tools());
        }
        options.thinking().ifPresent(on -> switchThinking(on, form.thinkingSwitches(), variables));
        variables.putAll(options.variables());
        return Objects.requireNonNull(templates.get(name), name).render(variables, clock, Limits.DEFAULT);
    }

    private static void switchThinking(boolean on, Set<String> switches, Map<String, Object> variables) {
        for (ThinkingSwitch candidate : ThinkingSwitch.KNOWN) {
            if (switches.contains(candidate.variable())) {
                variables.put(candidate.variable(), on ? candidate.on() : candidate.off());
            }
        }
    }
}
