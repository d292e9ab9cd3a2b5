package dev.tandem.runtime.chat.jinja;

/** The value {@code none}. */
enum None {
    NONE
}
