package dev.tandem.runtime.chat;

import java.util.List;

/**
 * A variable by which templates let thinking be switched, and its values.
 *
 * @param variable its name
 * @param on the value with which the model thinks
 * @param off the value with which it does not
 */
record ThinkingSwitch(String variable, Object on, Object off) {
    /** The names that templates have used so far. */
    static final List<ThinkingSwitch> KNOWN = List.of(
            new ThinkingSwitch("enable_thinking", true, false),
            new ThinkingSwitch("thinking", true, false),
            new ThinkingSwitch("thinking_mode", "enabled", "disabled"),
            new ThinkingSwitch("thinking_option", "on", "off"));
}
