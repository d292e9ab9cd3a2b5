package dev.tandem.runtime.chat;

import dev.tandem.runtime.chat.jinja.JsonText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Messages in the form that templates read: maps with the keys of the widespread chat API. */
final class MessageForm {
    private MessageForm() {}

    static Map<String, Object> of(ChatMessage message, ChatCapabilities form) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("role", message.role());
        boolean parts = form.contentAsParts();
        map.put("content", parts ? List.of(Map.of("type", "text", "text", message.content())) : message.content());
        message.reasoning().ifPresent(reasoning -> map.put(form.reasoningKey(), reasoning));
        if (!message.toolCalls().isEmpty()) {
            map.put(
                    "tool_calls",
                    message.toolCalls().stream()
                            .map(call -> call(call, form.argumentsAsText()))
                            .toList());
        }
        message.toolCallId().ifPresent(id -> map.put("tool_call_id", id));
        message.name().ifPresent(name -> map.put("name", name));
        return map;
    }

    private static Map<String, Object> call(ToolCall call, boolean argumentsAsText) {
        Map<String, Object> function = new LinkedHashMap<>();
        function.put("name", call.name());
        Optional<Object> arguments = argumentsAsText ? Optional.empty() : JsonText.parse(call.arguments());
        function.put("arguments", arguments.orElse(call.arguments()));
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("id", call.id());
        map.put("type", "function");
        map.put("function", function);
        return map;
    }
}
