package dev.tandem.runtime.tokenizer;

/**
 * How a text is turned into ids.
 *
 * @param parseSpecial whether control tokens written in the text, such as {@code <|im_end|>}, become those tokens.
 *     False for text of unknown origin: it then cannot steer the model. User-defined tokens are always recognised
 * @param addBos whether the begin-of-sequence token goes first where {@link Tokenizer#addsBos()}. It is put there even
 *     where the text spells it out already
 */
public record EncodeOptions(boolean parseSpecial, boolean addBos) {
    /** A whole prompt: special tokens recognised, begin-of-sequence by the file's rule. */
    public static final EncodeOptions PROMPT = new EncodeOptions(true, true);

    /** Nothing but text: no control token comes out of it, and none is added. */
    public static final EncodeOptions TEXT = new EncodeOptions(false, false);
}
