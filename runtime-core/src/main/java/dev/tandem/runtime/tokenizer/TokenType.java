package dev.tandem.runtime.tokenizer;

import java.util.Optional;

/** What a token is for; the numbers are those of {@code tokenizer.ggml.token_type} in a GGUF file. */
public enum TokenType {
    /** A piece of ordinary text. */
    NORMAL(1),
    /** Stands for what the vocabulary cannot express. */
    UNKNOWN(2),
    /** Steers the model, such as the end of a turn; text turns into it only on request. */
    CONTROL(3),
    /** Ordinary text that is always one token. */
    USER_DEFINED(4),
    /** Fills the vocabulary up; a model does not produce it. */
    UNUSED(5),
    /** One byte, written {@code <0x0A>}. */
    BYTE(6);

    private final int number;

    TokenType(int number) {
        this.number = number;
    }

    /** Whether such a token is no part of the text: control and unknown tokens. */
    boolean isSpecial() {
        return this == CONTROL || this == UNKNOWN;
    }

    /** Whether ordinary text may turn into such a token. */
    boolean isText() {
        return this == NORMAL || this == USER_DEFINED;
    }

    /**
     * The type with a number of the file format.
     *
     * @param number as in the file
     * @return empty where the format knows no such number
     */
    static Optional<TokenType> of(long number) {
        for (TokenType type : values()) {
            if (type.number == number) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }
}
