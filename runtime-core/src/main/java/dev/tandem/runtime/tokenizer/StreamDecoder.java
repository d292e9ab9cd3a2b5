package dev.tandem.runtime.tokenizer;

import java.util.Arrays;

/**
 * Turns ids into text one at a time, as the continuation of other text. Not thread-safe.
 *
 * <p>The pieces joined are what {@link Tokenizer#decode} gives, but for the space that some vocabularies put before a text:
 * only a decoder of whole texts can know which space that is.
 *
 * <p>A character whose bytes are spread over several tokens comes out with the last of them.
 */
public final class StreamDecoder {
    private final Tokenizer tokenizer;
    private final boolean special;
    private final boolean dropsPrefix;
    private final Utf8Stream stream = new Utf8Stream();
    /** Whether the next ordinary token begins a range of plain text. */
    private boolean atStart = true;

    /**
     * A decoder.
     *
     * @param tokenizer of the model
     * @param special whether control and unknown tokens are written out
     * @param dropsPrefix whether each range of plain text loses the one space that encoding put before it
     */
    StreamDecoder(Tokenizer tokenizer, boolean special, boolean dropsPrefix) {
        this.tokenizer = tokenizer;
        this.special = special;
        this.dropsPrefix = dropsPrefix;
    }

    /**
     * Takes the next id.
     *
     * @param id of the vocabulary
     * @return the text that is now whole; possibly empty
     * @throws IndexOutOfBoundsException where the vocabulary has no such id
     */
    public String accept(int id) {
        TokenType type = tokenizer.type(id);
        if (type.isSpecial() || type == TokenType.USER_DEFINED) {
            atStart = true;
            return special || !type.isSpecial() ? stream.accept(tokenizer.bytes(id)) : "";
        }
        byte[] bytes = tokenizer.bytes(id);
        boolean prefixed = dropsPrefix && atStart && bytes.length > 0 && bytes[0] == ' ';
        atStart = false;
        return stream.accept(prefixed ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes);
    }

    /**
     * Ends the text; the decoder may then begin a new one.
     *
     * @return U+FFFD where a character was left unfinished, else empty
     */
    public String flush() {
        atStart = true;
        return stream.flush();
    }
}
