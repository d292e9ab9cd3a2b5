package dev.tandem.runtime.decode;

/** Why a generation ended. */
public enum StopReason {
    /** The model said that it is done. */
    END_OF_GENERATION("end"),
    /** One of the stop strings appeared. */
    STOP_STRING("stop"),
    /** The number of tokens asked for was reached. */
    MAX_TOKENS("length"),
    /** The context is full. */
    CONTEXT_FULL("context"),
    /** The caller asked to stop. */
    CANCELLED("cancelled");

    private final String label;

    StopReason(String label) {
        this.label = label;
    }

    /** The word used in machine-readable output. */
    public String label() {
        return label;
    }
}
