package dev.tandem.runtime.tokenizer;

/** One kind of vocabulary: how plain text becomes ids and what bytes an id stands for. Stateless and thread-safe. */
interface TokenModel {
    /**
     * Encodes a range of text that holds no special token.
     *
     * @param text well-formed UTF-16
     * @param from first char
     * @param to end of the range, exclusive
     * @param ids receives the ids in order
     */
    void encode(String text, int from, int to, IdList ids);

    /**
     * The bytes that a token of type NORMAL stands for.
     *
     * @param piece the token's text in the vocabulary
     * @return a new array
     */
    byte[] bytes(String piece);
}
