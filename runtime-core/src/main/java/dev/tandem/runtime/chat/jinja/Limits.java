package dev.tandem.runtime.chat.jinja;

/**
 * What one rendering may use. A template that needs more is refused.
 *
 * @param steps nodes evaluated, and elements or characters looked at, a few at a time
 * @param characters made in all by operations on strings; an element of a collection counts as 32
 * @param outputCharacters of the result, and of any one string
 * @param depth of nested statements, expressions and macro calls, counted in nodes
 */
public record Limits(long steps, long characters, int outputCharacters, int depth) {
    /** Far beyond what a template needs for a long conversation, and within seconds and a few hundred megabytes. */
    public static final Limits DEFAULT = new Limits(10_000_000, 128L << 20, 16 << 20, 400);
}
