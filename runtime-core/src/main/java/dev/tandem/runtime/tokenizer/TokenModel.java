package dev.tandem.runtime.tokenizer;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;

/** One kind of vocabulary: how plain text becomes ids and what bytes an id stands for. Stateless and thread-safe. */
interface TokenModel {
    /**
     * Encodes a range of text that holds no special token.
     *
     * @param text well-formed UTF-16
     * @param from first char
     * @param to end of the range, exclusive
     * @param ids receives the ids in order, which together stand for the whole range
     * @throws UsageException where the vocabulary cannot express the text
     */
    void encode(String text, int from, int to, IdList ids);

    /**
     * The bytes that a token of type NORMAL stands for.
     *
     * @param piece the token's text in the vocabulary
     * @return a new array
     */
    byte[] bytes(String piece);

    /** Whether {@link #encode} puts a space before each range, which is no part of the text. */
    default boolean prefixesSpace() {
        return false;
    }

    /** A refusal of text that the vocabulary cannot express. */
    static UsageException inexpressible(String text) {
        String shown = text.length() <= 40 ? text : text.substring(0, 40) + "...";
        return new UsageException(
                ErrorCode.BAD_ARGUMENT,
                "The model's vocabulary lacks bytes of the text '" + shown + "' and has no unknown token",
                "Remove the characters that the model does not know.");
    }
}
