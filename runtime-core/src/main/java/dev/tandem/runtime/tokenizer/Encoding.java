package dev.tandem.runtime.tokenizer;

/**
 * A text as tokens, and where in the text each of them stands.
 *
 * <p>Offsets count bytes of the text's UTF-8, in which a token may begin or end inside a character. A token that is not
 * in the text, such as begin-of-sequence, has an empty range; bytes that no token stands for lie between two ranges.
 *
 * @param ids of the vocabulary, in order
 * @param starts by token, the first byte
 * @param ends by token, the end, exclusive
 */
public record Encoding(int[] ids, int[] starts, int[] ends) {}
