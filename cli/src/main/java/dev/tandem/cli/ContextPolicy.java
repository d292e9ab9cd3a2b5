package dev.tandem.cli;

/** What happens when a conversation no longer fits into the context; the values of {@code --context-full}. */
enum ContextPolicy {
    /** The answer ends there, and a message that does not fit is not taken. */
    STOP,
    /** The oldest turns are left out, but the system message stays. */
    SHIFT,
    /** The command ends with an error. */
    ERROR
}
