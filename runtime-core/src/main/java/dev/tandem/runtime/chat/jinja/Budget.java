package dev.tandem.runtime.chat.jinja;

/** What one rendering has used so far. */
final class Budget {
    private static final int ELEMENT_CHARACTERS = 32;
    private static final int ELEMENTS_PER_STEP = 8;

    private final Limits limits;
    private long steps;
    private long characters;
    private int depth;

    Budget(Limits limits) {
        this.limits = limits;
    }

    /** The longest text. */
    int mostOutput() {
        return limits.outputCharacters();
    }

    void step() {
        if (++steps > limits.steps()) {
            throw TemplateError.limit("the template runs too long: more than " + limits.steps() + " steps");
        }
    }

    /** Accounts for looking at that many characters or elements. */
    void look(long count) {
        steps += count / ELEMENTS_PER_STEP;
        step();
    }

    /** Accounts for a string before it is made, and answers with its length. */
    int make(long length) {
        if (length > limits.outputCharacters()) {
            throw TemplateError.limit("a text becomes longer than " + limits.outputCharacters() + " characters");
        }
        charge(length);
        return (int) length;
    }

    /** Accounts for a string that was made, no longer than a small multiple of one that was there. */
    String made(String text) {
        make(text.length());
        return text;
    }

    /** Accounts for the elements of a collection before they are put there. */
    void elements(long count) {
        charge(Math.min(count, limits.characters()) * ELEMENT_CHARACTERS);
    }

    private void charge(long amount) {
        characters += amount;
        if (characters > limits.characters()) {
            throw TemplateError.limit(
                    "the template makes more than " + limits.characters() + " characters of text in all");
        }
    }

    /** Goes one level down; {@link #leave} comes back, unless an error ends the rendering. */
    void enter() {
        step();
        if (++depth > limits.depth()) {
            throw TemplateError.limit(
                    "nested too deeply: more than " + limits.depth() + " levels, macro calls included");
        }
    }

    void leave() {
        depth--;
    }
}
