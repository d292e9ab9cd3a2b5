package dev.tandem.testkit.wrap;

/**
 * When a {@link DyingBackend} fails.
 *
 * @param call the kind of call
 * @param number which of these calls fails, from 1; 0 for none
 * @param lost whether the device is gone afterwards
 */
public record Death(Call call, int number, boolean lost) {
    /** Kinds of calls that can fail. */
    public enum Call {
        /** Loading weights. */
        LOAD,
        /** Compiling a graph. */
        COMPILE,
        /** Making a state. */
        NEW_STATE,
        /** Opening a step. */
        BEGIN,
        /** Running a graph. */
        RUN,
        /** Ending a step. */
        COMMIT,
        /** Copying an output to the host. */
        COPY
    }

    /**
     * A backend that never fails.
     *
     * @return no death
     */
    public static Death never() {
        return new Death(Call.RUN, 0, false);
    }

    /**
     * A call that fails once, for want of memory.
     *
     * @param call the kind of call
     * @param number which, from 1
     * @return the death
     */
    public static Death failing(Call call, int number) {
        return new Death(call, number, false);
    }

    /**
     * A call at which the device is lost.
     *
     * @param call the kind of call
     * @param number which, from 1
     * @return the death
     */
    public static Death losing(Call call, int number) {
        return new Death(call, number, true);
    }
}
