package dev.tandem.cli;

import dev.tandem.runtime.chat.ChatMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A system message and the turns after it. Old turns can be left out of what the model sees. */
final class Conversation {
    private static final String SYSTEM = "system";
    private static final String USER = "user";

    private final List<ChatMessage> messages = new ArrayList<>();
    private Optional<String> system = Optional.empty();
    private int firstSeen;

    /** The system message; empty where there is none. */
    Optional<String> system() {
        return system;
    }

    /** Sets or removes the system message. */
    void system(Optional<String> text) {
        system = text;
    }

    /** Adds what the user says. */
    void user(String text) {
        messages.add(ChatMessage.user(text));
    }

    /** Adds an answer. */
    void answer(ChatMessage message) {
        messages.add(message);
    }

    /** Removes the newest message. */
    ChatMessage removeLast() {
        ChatMessage last = messages.removeLast();
        firstSeen = Math.min(firstSeen, messages.size());
        return last;
    }

    /** Whether the newest message is an answer. */
    boolean isAnswered() {
        return !messages.isEmpty() && !messages.getLast().role().equals(USER);
    }

    /** Number of messages, the system message and those left out included. */
    int size() {
        return messages.size() + (system.isPresent() ? 1 : 0);
    }

    /** Number of messages that the model no longer sees. */
    int leftOut() {
        return firstSeen;
    }

    /** Forgets everything but the system message. */
    void reset() {
        messages.clear();
        firstSeen = 0;
    }

    /** Everything. */
    List<ChatMessage> all() {
        return withSystem(0);
    }

    /** What the model sees. */
    List<ChatMessage> seen() {
        return withSystem(firstSeen);
    }

    private List<ChatMessage> withSystem(int from) {
        List<ChatMessage> list = new ArrayList<>();
        system.map(ChatMessage::system).ifPresent(list::add);
        list.addAll(messages.subList(from, messages.size()));
        return list;
    }

    /** Takes other messages instead; a system message at their beginning becomes the system message. */
    void replace(List<ChatMessage> others) {
        reset();
        boolean named = !others.isEmpty() && others.getFirst().role().equals(SYSTEM);
        system = named ? Optional.of(others.getFirst().content()) : Optional.empty();
        messages.addAll(named ? others.subList(1, others.size()) : others);
    }

    /**
     * Leaves out the oldest messages of what the model sees, and no more than there are before the newest.
     *
     * @param count how many
     */
    void leaveOut(int count) {
        firstSeen = Math.clamp(count, 0, Math.max(0, messages.size() - 1));
    }

    /**
     * Leaves out the oldest turn that the model sees: a message of the user and what follows it.
     *
     * @return false where only the newest turn is left
     */
    boolean leaveOutOldestTurn() {
        for (int next = firstSeen + 1; next < messages.size(); next++) {
            if (messages.get(next).role().equals(USER)) {
                firstSeen = next;
                return true;
            }
        }
        return false;
    }
}
