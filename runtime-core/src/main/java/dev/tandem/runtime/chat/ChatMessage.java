package dev.tandem.runtime.chat;

import java.util.List;
import java.util.Optional;

/**
 * One message of a conversation.
 *
 * @param role who speaks: {@code system}, {@code user}, {@code assistant}, {@code tool}, or what a template knows else
 * @param content the text; may be empty
 * @param reasoning what an assistant thought before it answered
 * @param toolCalls what an assistant wants to have called
 * @param toolCallId the call that a tool's message answers
 * @param name of the speaker, or of the tool that answers
 */
public record ChatMessage(
        String role,
        String content,
        Optional<String> reasoning,
        List<ToolCall> toolCalls,
        Optional<String> toolCallId,
        Optional<String> name) {
    /** Copies the list. */
    public ChatMessage {
        toolCalls = List.copyOf(toolCalls);
    }

    private static ChatMessage plain(String role, String content) {
        return new ChatMessage(role, content, Optional.empty(), List.of(), Optional.empty(), Optional.empty());
    }

    /**
     * Instructions that stand before a conversation.
     *
     * @param content the text
     * @return the message
     */
    public static ChatMessage system(String content) {
        return plain("system", content);
    }

    /**
     * What the user says.
     *
     * @param content the text
     * @return the message
     */
    public static ChatMessage user(String content) {
        return plain("user", content);
    }

    /**
     * What the model answered.
     *
     * @param content the text
     * @return the message
     */
    public static ChatMessage assistant(String content) {
        return plain("assistant", content);
    }

    /**
     * What the model answered after thinking.
     *
     * @param content the answer
     * @param reasoning the thoughts
     * @return the message
     */
    public static ChatMessage assistant(String content, String reasoning) {
        return new ChatMessage(
                "assistant", content, Optional.of(reasoning), List.of(), Optional.empty(), Optional.empty());
    }

    /**
     * A model's wish to have tools called.
     *
     * @param content the text beside it; may be empty
     * @param toolCalls the calls
     * @return the message
     */
    public static ChatMessage toolCalls(String content, List<ToolCall> toolCalls) {
        return new ChatMessage("assistant", content, Optional.empty(), toolCalls, Optional.empty(), Optional.empty());
    }

    /**
     * What a tool answered.
     *
     * @param call that it answers
     * @param content the result
     * @return the message
     */
    public static ChatMessage toolResult(ToolCall call, String content) {
        return new ChatMessage(
                "tool", content, Optional.empty(), List.of(), Optional.of(call.id()), Optional.of(call.name()));
    }
}
