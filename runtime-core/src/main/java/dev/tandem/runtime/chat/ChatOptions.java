package dev.tandem.runtime.chat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a rendering depends on besides the messages.
 *
 * @param tools that the model may call, each a map in the form of a JSON function definition:
 *     {@code {"type": "function", "function": {"name": …, "description": …, "parameters": …}}}
 * @param addGenerationPrompt whether the text ends where an answer begins
 * @param thinking whether the model should think first; empty for the template's own choice
 * @param variables more that the template can read, such as {@code reasoning_effort}; they win over everything else
 */
public record ChatOptions(
        List<Map<String, Object>> tools,
        boolean addGenerationPrompt,
        Optional<Boolean> thinking,
        Map<String, Object> variables) {
    /** Copies list and map. */
    public ChatOptions {
        tools = List.copyOf(tools);
        variables = Map.copyOf(variables);
    }

    /**
     * No tools, no variables, an answer wanted.
     *
     * @return the options
     */
    public static ChatOptions defaults() {
        return new ChatOptions(List.of(), true, Optional.empty(), Map.of());
    }

    /**
     * The same with other tools.
     *
     * @param others the tools
     * @return new options
     */
    public ChatOptions withTools(List<Map<String, Object>> others) {
        return new ChatOptions(others, addGenerationPrompt, thinking, variables);
    }

    /**
     * The same with or without a place for the answer.
     *
     * @param add whether the text ends where an answer begins
     * @return new options
     */
    public ChatOptions withGenerationPrompt(boolean add) {
        return new ChatOptions(tools, add, thinking, variables);
    }

    /**
     * The same with thinking switched on or off, where the template has a switch.
     *
     * @param on whether the model should think first
     * @return new options
     */
    public ChatOptions withThinking(boolean on) {
        return new ChatOptions(tools, addGenerationPrompt, Optional.of(on), variables);
    }

    /**
     * The same with one more variable.
     *
     * @param name of the variable
     * @param value text, flag, number, list or map
     * @return new options
     */
    public ChatOptions withVariable(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(variables);
        more.put(name, value);
        return new ChatOptions(tools, addGenerationPrompt, thinking, more);
    }
}
