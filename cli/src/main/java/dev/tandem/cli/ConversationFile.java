package dev.tandem.cli;

import dev.tandem.runtime.chat.ChatMessage;
import dev.tandem.runtime.files.OutputFile;
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

    private static final String LEFT_OUT = "left_out";

    private ConversationFile() {}

    /**
     * Writes a conversation; an earlier file of that name is replaced once all is written.
     *
     * @throws UsageException where that fails
     */
    static void save(Path path, Conversation conversation) {
        try (OutputFile file = OutputFile.prepare(path)) {
            file.write(print(conversation));
        }
    }

    /** A conversation as a text. */
    static String print(Conversation conversation) {
        ObjectNode root = Json.object();
        ArrayNode array = root.putArray("messages");
        for (ChatMessage message : conversation.all()) {
            ObjectNode node = array.addObject().put("role", message.role()).put("content", message.content());
            message.reasoning().ifPresent(thoughts -> node.put("reasoning", thoughts));
        }
        if (conversation.leftOut() > 0) {
            root.put(LEFT_OUT, conversation.leftOut());
        }
        return Json.print(root);
    }

    /**
     * Reads a conversation.
     *
     * @param into gets its messages instead of those that it has
     * @throws UsageException where the file cannot be read or holds no conversation
     */
    static void load(Path path, Console console, Conversation into) {
        read(path.toString(), TextInput.read(path, console), into);
    }

    /**
     * Reads what {@link #print} gave.
     *
     * @param path where it stands, for messages
     * @param into gets its messages instead of those that it has
     * @throws UsageException where it is no conversation
     */
    static void read(String path, String text, Conversation into) {
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
        into.replace(messages);
        into.leaveOut(root.path(LEFT_OUT).asInt(0));
    }

    private static ChatMessage message(String path, JsonNode node, int index) {
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

    private static UsageException wrong(String path, String why, @Nullable Throwable cause) {
        return new UsageException(
                ErrorCode.BAD_ARGUMENT,
                path + " is no conversation: it " + why,
                "Give a file that /save wrote: {\"messages\": [{\"role\": \"user\", \"content\": \"…\"}, …]}, with the"
                        + " roles system (first only), user and assistant.",
                cause);
    }
}
