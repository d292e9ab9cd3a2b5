package dev.tandem.cli;

import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Where the messages of a chat come from. */
interface ChatInput extends AutoCloseable {
    /**
     * Waits for the next message or command.
     *
     * @return without a line break at its end; empty where the user leaves
     */
    Optional<String> next();

    /**
     * An answer begins.
     *
     * @return whether the user wants it to stop
     */
    BooleanSupplier answering();

    /** The answer is over. */
    void answered();

    @Override
    void close();
}
