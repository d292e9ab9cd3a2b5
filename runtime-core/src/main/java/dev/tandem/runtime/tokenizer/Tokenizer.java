package dev.tandem.runtime.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Turns text into the token ids of one model, and ids back into text. Immutable and thread-safe.
 *
 * <p>Text is taken as it is, without Unicode normalisation. Encoding and decoding well-formed text gives the same text.
 * A lone surrogate, which no UTF-8 can hold, is encoded as U+FFFD.
 */
public final class Tokenizer {
    private final Vocabulary vocabulary;
    private final TokenModel model;
    private final SpecialTokens specialTokens;
    private final OptionalInt bos;
    private final OptionalInt eos;
    private final boolean addsBos;
    private final Set<Integer> endOfGeneration;

    Tokenizer(TokenizerMetadata metadata, Vocabulary vocabulary, TokenModel model, boolean addsBosByDefault) {
        this.vocabulary = vocabulary;
        this.model = model;
        specialTokens = new SpecialTokens(vocabulary);
        bos = metadata.id("bos_token_id", vocabulary.size());
        eos = metadata.id("eos_token_id", vocabulary.size());
        endOfGeneration = EndTokens.of(metadata, vocabulary);
        boolean asked = metadata.flag("add_bos_token").orElse(false);
        if (asked && bos.isEmpty()) {
            throw metadata.inconsistent("add_bos_token", "is true, but tokenizer.ggml.bos_token_id is missing");
        }
        addsBos = bos.isPresent() && metadata.flag("add_bos_token").orElse(addsBosByDefault);
    }

    /**
     * Encodes a text.
     *
     * @param text any text
     * @param options what happens to special tokens
     * @return its ids; empty for an empty text without begin-of-sequence
     * @throws dev.tandem.spi.UsageException where the vocabulary cannot express the text
     */
    public int[] encode(String text, EncodeOptions options) {
        String wellFormed = CodePoints.wellFormed(text);
        IdList ids = new IdList();
        if (options.addBos() && addsBos) {
            ids.add(bos.getAsInt());
        }
        int from = 0;
        while (from < wellFormed.length()) {
            SpecialTokens.Match match = specialTokens.find(wellFormed, from, options.parseSpecial());
            if (match.from() > from) {
                model.encode(wellFormed, from, match.from(), ids);
            }
            if (match.to() > match.from()) {
                ids.add(match.id());
            }
            from = match.to();
        }
        return ids.toArray();
    }

    /**
     * The text of some ids.
     *
     * @param ids of the vocabulary
     * @param special whether control and unknown tokens are written out; else they are left out
     * @return the text, with U+FFFD for bytes that are no UTF-8
     * @throws IndexOutOfBoundsException where the vocabulary has no such id
     */
    public String decode(int[] ids, boolean special) {
        StreamDecoder decoder = stream(special);
        StringBuilder text = new StringBuilder(4 * ids.length);
        for (int id : ids) {
            text.append(decoder.accept(id));
        }
        return text.append(decoder.flush()).toString();
    }

    /**
     * A decoder for ids that come one at a time.
     *
     * @param special whether control and unknown tokens are written out; else they are left out
     * @return a new decoder
     */
    public StreamDecoder stream(boolean special) {
        return new StreamDecoder(this, special);
    }

    /**
     * The bytes that a token adds to the text: part of a character, perhaps.
     *
     * @param id of the vocabulary
     * @return a new array; for a special token, its name in UTF-8
     * @throws IndexOutOfBoundsException where the vocabulary has no such id
     */
    public byte[] bytes(int id) {
        String piece = vocabulary.text(id);
        return switch (vocabulary.type(id)) {
            case NORMAL -> model.bytes(piece);
            case BYTE -> byteOf(piece);
            case UNKNOWN, CONTROL, USER_DEFINED, UNUSED -> piece.getBytes(StandardCharsets.UTF_8);
        };
    }

    /** The byte that {@code <0xHH>} names, or the text itself where it has another form. */
    private static byte[] byteOf(String piece) {
        return piece.matches("<0x[0-9A-Fa-f]{2}>")
                ? new byte[] {(byte) Integer.parseInt(piece, 3, 5, 16)}
                : piece.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * A token as the vocabulary writes it, which is not what it decodes to: see {@link #bytes}.
     *
     * @param id of the vocabulary
     * @return its text in the file
     * @throws IndexOutOfBoundsException where the vocabulary has no such id
     */
    public String piece(int id) {
        return vocabulary.text(id);
    }

    /**
     * The token that the vocabulary writes as a text.
     *
     * @param piece as {@link #piece} gives it
     * @return the lowest such id; empty where there is none
     */
    public OptionalInt id(String piece) {
        return vocabulary.id(piece);
    }

    /**
     * What a token is for.
     *
     * @param id of the vocabulary
     * @return its type
     * @throws IndexOutOfBoundsException where the vocabulary has no such id
     */
    public TokenType type(int id) {
        return vocabulary.type(id);
    }

    /**
     * The number of tokens; ids run from 0.
     *
     * @return at least 1
     */
    public int vocabularySize() {
        return vocabulary.size();
    }

    /**
     * The begin-of-sequence token.
     *
     * @return empty where the file names none
     */
    public OptionalInt bos() {
        return bos;
    }

    /**
     * The end-of-sequence token.
     *
     * @return empty where the file names none
     */
    public OptionalInt eos() {
        return eos;
    }

    /**
     * Whether a prompt begins with {@link #bos()}: by {@code tokenizer.ggml.add_bos_token}, else as the family does.
     *
     * @return false where the file names no such token
     */
    public boolean addsBos() {
        return addsBos;
    }

    /**
     * The tokens that end an answer.
     *
     * <p>They are those that the file names as eos, eot or eom, and well-known ones such as {@code <|im_end|>} that it
     * marks as control tokens; {@code <|end|>} is none where {@code <|return|>} and {@code <|call|>} exist.
     *
     * @return an unmodifiable set in ascending order; possibly empty
     */
    public Set<Integer> endOfGeneration() {
        return endOfGeneration;
    }
}
