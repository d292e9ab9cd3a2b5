package dev.tandem.testkit.draft;

/** Throws in one of its calls, after some that went well. */
public final class ThrowingDrafts extends MisbehavingDrafts {
    /** What the exception says. */
    public static final String MESSAGE = "thrown on purpose";

    /**
     * A strategy.
     *
     * @param where the call that throws
     * @param harmless calls there that go well
     */
    public ThrowingDrafts(Call where, int harmless) {
        super("throwing", where, harmless);
    }

    @Override
    void misbehave() {
        throw new IllegalStateException(MESSAGE);
    }
}
