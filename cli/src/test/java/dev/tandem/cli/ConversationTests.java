package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.chat.ChatMessage;
import dev.tandem.spi.UsageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConversationTests {
    private static final Console CONSOLE = new Console(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            OutputStream.nullOutputStream(),
            Terminal.NONE);

    @TempDir
    Path folder;

    private static Conversation twoTurns() {
        Conversation conversation = new Conversation();
        conversation.system(Optional.of("be brief"));
        conversation.user("one");
        conversation.answer(ChatMessage.assistant("1"));
        conversation.user("two");
        conversation.answer(ChatMessage.assistant("2", "hm"));
        return conversation;
    }

    @Test
    void leavesOutTheOldestTurnButNotTheSystemMessage() {
        Conversation conversation = twoTurns();

        assertTrue(conversation.leaveOutOldestTurn());
        assertEquals(
                List.of(ChatMessage.system("be brief"), ChatMessage.user("two"), ChatMessage.assistant("2", "hm")),
                conversation.seen());
        assertEquals(2, conversation.leftOut());
        assertEquals(5, conversation.all().size());
        assertFalse(conversation.leaveOutOldestTurn());
    }

    @Test
    void resetKeepsTheSystemMessage() {
        Conversation conversation = twoTurns();
        conversation.leaveOutOldestTurn();
        conversation.reset();

        assertEquals(List.of(ChatMessage.system("be brief")), conversation.seen());
        assertEquals(0, conversation.leftOut());
    }

    @Test
    void aSavedConversationIsReadAsItWas() {
        Path file = folder.resolve("talk.json");
        ConversationFile.save(file, twoTurns());
        Conversation read = new Conversation();
        ConversationFile.load(file, CONSOLE, read);

        assertEquals(twoTurns().all(), read.all());
        assertEquals(Optional.of("be brief"), read.system());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ | is no JSON",
                "[] | has no array 'messages'",
                "{\"messages\": 3} | has no array 'messages'",
                "{\"messages\": [3]} | has the role '' in message 0",
                "{\"messages\": [{\"role\": \"robot\", \"content\": \"x\"}]} | has the role 'robot' in message 0",
                "{\"messages\": [{\"role\": \"user\"}]} | has no text as 'content' of message 0",
                "{\"messages\": [{\"role\": \"user\", \"content\": 3}]} | has no text as 'content' of message 0"
            })
    void saysWhyAFileIsNoConversation(String text, String why) throws IOException {
        Path file = Files.writeString(folder.resolve("wrong.json"), text);
        UsageException e =
                assertThrows(UsageException.class, () -> ConversationFile.load(file, CONSOLE, new Conversation()));

        assertTrue(e.getMessage().contains("is no conversation: it " + why), e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "Linux, '', /home/a/.local/share/tandem",
        "Linux, /data, /data/tandem",
        "Linux, data, /home/a/.local/share/tandem",
        "Mac OS X, '', /home/a/Library/Application Support/tandem"
    })
    void historyLiesInTheUsersDataFolder(String system, String data, String folder) {
        assertEquals(
                Path.of(folder),
                new Environment(Map.of("XDG_DATA_HOME", data), system, Path.of("/home/a")).dataFolder());
    }
}
