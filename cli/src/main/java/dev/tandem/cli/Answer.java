package dev.tandem.cli;

import dev.tandem.runtime.chat.ChatMessage;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.decode.StopReason;
import dev.tandem.runtime.decode.Timings;
import java.util.List;
import java.util.Optional;

/**
 * One answer.
 *
 * @param message to go on with
 * @param parts the generations that it took: more than one where turns were left out in the middle
 */
record Answer(ChatMessage message, List<GenerationResult> parts) {
    Answer {
        parts = List.copyOf(parts);
    }

    /** Whether there is no text at all. */
    boolean isEmpty() {
        return message.content().isEmpty() && message.reasoning().isEmpty();
    }

    /** Why it ended. */
    StopReason stopReason() {
        return parts.getLast().stopReason();
    }

    /** Number of chosen tokens. */
    int tokens() {
        return parts.stream().mapToInt(part -> part.ids().length).sum();
    }

    /** Number of tokens of the conversation after it. */
    int contextTokens() {
        return parts.getLast().promptIds().length + parts.getLast().ids().length;
    }

    /** All times together. */
    Timings timings() {
        Timings sum = new Timings(0, 0, 0, 0);
        for (GenerationResult part : parts) {
            sum = plus(sum, part.timings());
        }
        return sum;
    }

    /** Two times together. */
    static Timings plus(Timings a, Timings b) {
        return new Timings(
                a.promptTokens() + b.promptTokens(),
                a.prefillNanos() + b.prefillNanos(),
                a.decodedTokens() + b.decodedTokens(),
                a.decodeNanos() + b.decodeNanos());
    }

    /** The line below it: tokens, speed, room in the context, and why it ended where that is not plain. */
    String summary(LoadedModel loaded) {
        int context = loaded.model().contextRows();
        Timings timings = timings();
        String end = switch (stopReason()) {
            case END_OF_GENERATION, STOP_STRING -> "";
            case MAX_TOKENS -> "; ended by --max-tokens";
            case CONTEXT_FULL -> "; ended because the context is full";
            case CANCELLED -> "; interrupted";
        };
        Optional<String> draft = parts.getLast().draft().map(DraftReport::summary);
        return RunReport.part(
                        timings.promptTokens(), "prompt token", timings.prefillNanos(), timings.prefillPerSecond())
                + ", "
                + RunReport.part(tokens(), "token", timings.decodeNanos(), timings.decodePerSecond())
                + draft.map(text -> ", " + text).orElse("")
                + ", context " + Math.min(contextTokens(), context) + " of " + context + end;
    }
}
