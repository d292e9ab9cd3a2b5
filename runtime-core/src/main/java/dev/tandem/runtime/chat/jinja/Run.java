package dev.tandem.runtime.chat.jinja;

import java.time.Clock;

/**
 * What operations share during one rendering.
 *
 * @param budget what the rendering may still use
 * @param clock what {@code strftime_now} reads
 */
record Run(Budget budget, Clock clock) {
    /** Accounts for looking through a value where it is a string, which most operations on strings do. */
    void look(Object value) {
        if (value instanceof String text) {
            budget.look(text.length());
        }
    }
}
