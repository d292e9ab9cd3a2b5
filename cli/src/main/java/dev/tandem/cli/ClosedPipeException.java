package dev.tandem.cli;

/** The reader of standard output went away: nobody is left to be told. */
final class ClosedPipeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ClosedPipeException(Throwable cause) {
        super("standard output is closed", cause);
    }
}
