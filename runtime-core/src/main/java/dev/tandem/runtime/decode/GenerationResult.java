package dev.tandem.runtime.decode;

import java.util.Optional;

/**
 * A finished generation.
 *
 * @param promptIds the prompt
 * @param ids chosen tokens, the end token included
 * @param text of the chosen tokens, as the listener heard it
 * @param stopReason why it ended
 * @param timings how long it took
 * @param draft what guessing ahead did; empty where nobody guessed
 */
public record GenerationResult(
        int[] promptIds,
        int[] ids,
        String text,
        StopReason stopReason,
        Timings timings,
        Optional<DraftStatistics> draft) {}
