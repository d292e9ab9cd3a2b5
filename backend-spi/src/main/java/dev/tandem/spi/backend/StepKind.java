package dev.tandem.spi.backend;

/** What the rows of a sequence in a step are; the kind, not the number of rows, decides which numeric rules hold (N6). */
public enum StepKind {
    /** A chain of prompt rows; committed whole or not at all. */
    PREFILL,
    /** One row; committed or not. */
    DECODE,
    /** A chain or tree of guesses; any path of it is committed. */
    VERIFY
}
