package dev.tandem.runtime.chat.jinja;

/** A value that can be called. */
@FunctionalInterface
interface Callable {
    Object call(Arguments arguments);
}
