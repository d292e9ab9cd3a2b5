package dev.tandem.runtime.chat.jinja;

/** A part of a template's source, from {@code start} up to and without {@code end}. */
record Span(int start, int end) {
    Span to(Span last) {
        return new Span(start, last.end);
    }
}
