package dev.tandem.testkit.draft;

/** A call of the engine to a strategy, in which a bad one misbehaves. */
public enum Call {
    /** {@code DraftProvider.plan}. */
    PLAN,
    /** {@code DraftProvider.open}. */
    OPEN,
    /** {@code DraftModel.newSession}. */
    NEW_SESSION,
    /** {@code DraftSession.propose}. */
    PROPOSE,
    /** {@code DraftSession.onCommitted}. */
    ON_COMMITTED,
    /** {@code DraftSession.onVerified}. */
    ON_VERIFIED,
    /** {@code DraftSession.truncate}. */
    TRUNCATE,
    /** {@code DraftSession.close}. */
    CLOSE
}
