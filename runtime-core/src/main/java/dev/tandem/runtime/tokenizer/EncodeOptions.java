package dev.tandem.runtime.tokenizer;

/**
 * How a text is turned into ids.
 *
 * @param parseSpecial whether control tokens written in the text, such as {@code <|im_end|>}, become those tokens.
 *     False for text of unknown origin: it then cannot steer the model. User-defined tokens are always recognised
 * @param addBos whether the begin-of-sequence token goes first where {@link Tokenizer#addsBos()}. It is put there even
 *     where the text spells it out already
 * @param addEos whether the end-of-sequence token goes last where {@link Tokenizer#addsEos()}. A prompt that is to be
 *     continued must not end with it
 */
public record EncodeOptions(boolean parseSpecial, boolean addBos, boolean addEos) {
    /** A whole prompt: special tokens recognised, begin-of-sequence by the file's rule. */
    public static final EncodeOptions PROMPT = new EncodeOptions(true, true);

    /** Nothing but text: no control token comes out of it, and none is added. */
    public static final EncodeOptions TEXT = new EncodeOptions(false, false);

    /**
     * Options for text that goes on, so without an end-of-sequence token.
     *
     * @param parseSpecial whether control tokens written in the text become those tokens
     * @param addBos whether the begin-of-sequence token goes first where {@link Tokenizer#addsBos()}
     */
    public EncodeOptions(boolean parseSpecial, boolean addBos) {
        this(parseSpecial, addBos, false);
    }
}
