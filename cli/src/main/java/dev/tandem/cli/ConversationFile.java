package dev.tandem.cli;

import dev.tandem.runtime.chat.ChatMessage;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Conversations as files: a JSON object whose {@code messages} have {@code role} and {@code content}. */
final class ConversationFile {
    private static final Set<String> ROLES = Set.of("system", "user", "assistant");

    private ConversationFile() {}

    /**
     * Writes a conversation; an earlier file of that name is replaced once all is written.
     *
     * @throws UsageException where that fails
     */
    static void save(Path path, List<ChatMessage> messages) {
        ObjectNode root = Json.object();
        ArrayNode array = root.putArray("messages");
        for (ChatMessage message : messages) {
            ObjectNode node = array.addObject().put("role", message.role()).put("content", message.content());
            message.reasoning().ifPresent(thoughts -> node.put("reasoning", thoughts));
        }
        try (OutputFile file = OutputFile.prepare(path)) {
            file.write(Json.print(root));
        }
    }

    /**
     * Reads a conversation.
     *
     * @throws UsageException where the file cannot be read or holds no conversation
     */
    static List<ChatMessage> load(Path path, Console console) {
        String text = TextInput.read(path, console);
        JsonNode root;
        try {
            root = JsonMapper.shared().readTree(text);
        } catch (JacksonException e) {
            throw wrong(path, "is no JSON: " + Text.oneLine(String.valueOf(e.getOriginalMessage())), e);
        }
        JsonNode array = root.path("messages");
        if (!array.isArray()) {
            throw wrong(path, "has no array 'messages'", null);
        }
        List<ChatMessage> messages = new ArrayList<>();
        for (JsonNode node : array) {
            messages.add(message(path, node, messages.size()));
        }
        return messages;
    }

    private static ChatMessage message(Path path, JsonNode node, int index) {
        String role = node.path("role").asString("");
        if (!ROLES.contains(role) || role.equals("system") && index > 0) {
            throw wrong(path, "has the role '" + Text.oneLine(role) + "' in message " + index, null);
        }
        JsonNode content = node.path("content");
        if (!content.isString()) {
            throw wrong(path, "has no text as 'content' of message " + index, null);
        }
        JsonNode thoughts = node.path("reasoning");
        return switch (role) {
            case "system" -> ChatMessage.system(content.asString());
            case "user" -> ChatMessage.user(content.asString());
            default ->
                thoughts.isString()
                        ? ChatMessage.assistant(content.asString(), thoughts.asString())
                        : ChatMessage.assistant(content.asString());
        };
    }

    private static UsageException wrong(Path path, String why, @Nullable Throwable cause) {
        return new UsageException(
                ErrorCode.BAD_ARGUMENT,
                path + " is no conversation: it " + why,
                "Give a file that /save wrote: {\"messages\": [{\"role\": \"user\", \"content\": \"…\"}, …]}, with the"
                        + " roles system (first only), user and assistant.",
                cause);
    }
}
