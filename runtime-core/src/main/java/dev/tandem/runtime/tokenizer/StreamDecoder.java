package dev.tandem.runtime.tokenizer;

/**
 * Turns ids into text one at a time; the pieces joined are what {@link Tokenizer#decode} gives. Not thread-safe.
 *
 * <p>A character whose bytes are spread over several tokens comes out with the last of them.
 */
public final class StreamDecoder {
    private final Tokenizer tokenizer;
    private final boolean special;
    private final Utf8Stream stream = new Utf8Stream();

    StreamDecoder(Tokenizer tokenizer, boolean special) {
        this.tokenizer = tokenizer;
        this.special = special;
    }

    /**
     * Takes the next id.
     *
     * @param id of the vocabulary
     * @return the text that is now whole; possibly empty
     * @throws IndexOutOfBoundsException where the vocabulary has no such id
     */
    public String accept(int id) {
        return special || !tokenizer.type(id).isSpecial() ? stream.accept(tokenizer.bytes(id)) : "";
    }

    /**
     * Ends the text; the decoder may then begin a new one.
     *
     * @return U+FFFD where a character was left unfinished, else empty
     */
    public String flush() {
        return stream.flush();
    }
}
