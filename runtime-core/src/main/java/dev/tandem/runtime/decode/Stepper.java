package dev.tandem.runtime.decode;

import java.util.Optional;

/**
 * How the generations of one sequence get from one chosen token to the next. The sequence holds all tokens of the
 * generation but the newest whenever a step begins, and a beginning of them when it has ended. One thread at a time.
 */
public interface Stepper extends AutoCloseable {
    /**
     * A generation begins.
     *
     * @param generation whose prompt begins with what the sequence holds
     */
    default void begin(Generation generation) {}

    /** Some of the prompt was run and committed. */
    default void prefilled() {}

    /**
     * Runs the newest token, perhaps with guesses behind it, and lets the generation choose at least one more.
     *
     * @param generation the one that has begun
     * @return whether it goes on
     */
    boolean step(Generation generation);

    /**
     * The generation has ended.
     *
     * @return what was guessed; empty where nobody guesses
     */
    default Optional<DraftStatistics> end() {
        return Optional.empty();
    }

    @Override
    default void close() {}
}
