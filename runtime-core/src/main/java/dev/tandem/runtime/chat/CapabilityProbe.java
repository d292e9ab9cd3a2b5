package dev.tandem.runtime.chat;

import dev.tandem.runtime.chat.ChatCapabilities.Feature;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Finds out what a template can do: renders conversations with words that occur nowhere else, and looks for them. */
final class CapabilityProbe {
    private static final String USER = "zqUserWord";
    private static final String SYSTEM = "zqSystemWord";
    private static final String TOOL = "zqToolWord";
    private static final String ARGUMENT = "zqArgumentWord";
    private static final String RESULT = "zqResultWord";
    private static final String REASONING = "zqReasoningWord";
    private static final ToolCall CALL =
            new ToolCall("call00001", TOOL, "{\"" + ARGUMENT + "\":\"" + ARGUMENT + "\",\"n\":{\"a\":[1]}}");
    private static final Map<String, Object> DEFINITION = Map.of(
            "type",
            "function",
            "function",
            Map.of(
                    "name",
                    TOOL,
                    "description",
                    TOOL,
                    "parameters",
                    Map.of("type", "object", "properties", Map.of(), "required", List.of())));

    /** Where templates read thoughts that do not read them under the usual key. */
    private static final List<String> OTHER_REASONING_KEYS = List.of("thinking", "reasoning");

    private final Rendering rendering;

    /** Renders with given capabilities assumed. */
    @FunctionalInterface
    interface Rendering {
        String render(ChatCapabilities assumed, List<ChatMessage> messages, ChatOptions options);
    }

    CapabilityProbe(Rendering rendering) {
        this.rendering = rendering;
    }

    ChatCapabilities probe() {
        ChatMessage user = ChatMessage.user(USER);
        ChatOptions plain = ChatOptions.defaults();
        boolean asParts =
                !shows(assumed(false, false), plain, USER, user) && shows(assumed(false, true), plain, USER, user);
        ChatCapabilities form = assumed(false, asParts);
        Set<Feature> features = EnumSet.noneOf(Feature.class);
        if (shows(form, plain, SYSTEM, ChatMessage.system(SYSTEM), user)) {
            features.add(Feature.SYSTEM_ROLE);
        }
        ChatOptions tools = plain.withTools(List.of(DEFINITION));
        if (shows(form, tools, TOOL, user)) {
            features.add(Feature.TOOLS);
        }
        boolean asText = !showsCall(form, tools) && showsCall(assumed(true, asParts), tools);
        form = assumed(asText, asParts);
        if (showsCall(form, tools)) {
            features.add(Feature.TOOL_CALLS);
        }
        if (shows(form, tools, RESULT, called(RESULT))) {
            features.add(Feature.TOOL_RESULTS);
        }
        String key = ChatCapabilities.USUAL_REASONING_KEY;
        if (showsReasoning(form)) {
            features.add(Feature.REASONING);
        } else {
            for (String other : OTHER_REASONING_KEYS) {
                if (!features.contains(Feature.REASONING) && showsReasoning(readingThoughts(form, other))) {
                    features.add(Feature.REASONING);
                    key = other;
                }
            }
        }
        return new ChatCapabilities(features, switches(form, user), asText, asParts, key);
    }

    /** Whether thoughts appear: of an answer before the next question, or of one that stands last. */
    private boolean showsReasoning(ChatCapabilities form) {
        ChatMessage user = ChatMessage.user(USER);
        ChatMessage answer = ChatMessage.assistant(USER, REASONING);
        ChatOptions plain = ChatOptions.defaults();
        return shows(form, plain, REASONING, user, answer)
                || shows(form, plain, REASONING, user, answer, user)
                || shows(form, plain.withGenerationPrompt(false), REASONING, user, answer);
    }

    private static ChatCapabilities assumed(boolean argumentsAsText, boolean contentAsParts) {
        return new ChatCapabilities(
                Set.of(), Set.of(), argumentsAsText, contentAsParts, ChatCapabilities.USUAL_REASONING_KEY);
    }

    private static ChatCapabilities readingThoughts(ChatCapabilities form, String key) {
        return new ChatCapabilities(Set.of(), Set.of(), form.argumentsAsText(), form.contentAsParts(), key);
    }

    private static ChatMessage[] called(String result) {
        return new ChatMessage[] {
            ChatMessage.user(USER), ChatMessage.toolCalls("", List.of(CALL)), ChatMessage.toolResult(CALL, result)
        };
    }

    /** Whether a call's arguments appear, and not as text that was escaped once more. */
    private boolean showsCall(ChatCapabilities form, ChatOptions tools) {
        return render(form, tools, called("1"))
                .filter(text -> text.contains(ARGUMENT) && !text.contains("\\\"" + ARGUMENT))
                .isPresent();
    }

    private Set<String> switches(ChatCapabilities form, ChatMessage user) {
        Set<String> switches = new TreeSet<>();
        for (ThinkingSwitch candidate : ThinkingSwitch.KNOWN) {
            ChatOptions options = ChatOptions.defaults();
            Optional<String> on = render(form, options.withVariable(candidate.variable(), candidate.on()), user);
            Optional<String> off = render(form, options.withVariable(candidate.variable(), candidate.off()), user);
            if (on.isPresent() && off.isPresent() && !on.equals(off)) {
                switches.add(candidate.variable());
            }
        }
        return switches;
    }

    private boolean shows(ChatCapabilities form, ChatOptions options, String word, ChatMessage... messages) {
        return render(form, options, messages)
                .filter(text -> text.contains(word))
                .isPresent();
    }

    /** The prompt; empty where the template refuses the conversation or fails. */
    private Optional<String> render(ChatCapabilities form, ChatOptions options, ChatMessage... messages) {
        try {
            return Optional.of(rendering.render(form, List.of(messages), options));
        } catch (UsageException | ModelFileException e) {
            return Optional.empty();
        }
    }
}
