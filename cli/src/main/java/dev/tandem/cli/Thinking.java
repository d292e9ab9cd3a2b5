package dev.tandem.cli;

/** Whether a model thinks before it answers, and whether that is shown; the values of {@code --think}. */
enum Thinking {
    /** Thinking is asked for and shown. */
    ON,
    /** None is asked for; thoughts that come all the same are folded into a line. */
    OFF,
    /** As the chat template has it; shown on a terminal. */
    AUTO;

    /** How thoughts appear on a terminal or in a pipe. */
    Style style(Terminal terminal) {
        if (!terminal.stdout()) {
            return this == ON ? Style.MARKED : Style.HIDDEN;
        }
        if (this == OFF) {
            return Style.FOLDED;
        }
        return terminal.colorsOut() ? Style.DIM : Style.MARKED;
    }

    /** How thoughts appear. */
    enum Style {
        /** In a weak colour. */
        DIM,
        /** Between two lines that name them. */
        MARKED,
        /** As one line that tells how many words they are. */
        FOLDED,
        /** Not at all. */
        HIDDEN
    }
}
