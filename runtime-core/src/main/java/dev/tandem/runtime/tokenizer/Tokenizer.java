package dev.tandem.runtime.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Turns text into the token ids of one model, and ids back into text. Immutable and thread-safe.
 *
 * <p>Text is taken as it is, without Unicode normalisation. Encoding and decoding well-formed text gives the same text, with
 * three exceptions: characters that became an unknown token; in SentencePiece vocabularies U+2581, which is how they write
 * a space; and white space behind a token that swallows it (Phi-3). A lone surrogate, which no UTF-8 can hold,
 * is encoded as U+FFFD.
 */
public final class Tokenizer {
    private final Vocabulary vocabulary;
    private final TokenModel model;
    private final SpecialTokens specialTokens;
    private final Set<Integer> strippedBehind;
    private final OptionalInt bos;
    private final OptionalInt eos;
    private final boolean addsBos;
    private final boolean addsEos;
    private final Set<Integer> endOfGeneration;
    private final List<String> notes;

    /**
     * What a family does where its file is silent.
     *
     * @param addsBos whether a begin-of-sequence token goes first
     * @param bos that token
     * @param eos the end-of-sequence token
     * @param notes what the user should know of the tokenizer
     */
    record Defaults(boolean addsBos, OptionalInt bos, OptionalInt eos, List<String> notes) {}

    Tokenizer(TokenizerMetadata metadata, Vocabulary vocabulary, TokenModel model, Defaults defaults) {
        this.vocabulary = vocabulary;
        this.model = model;
        specialTokens = new SpecialTokens(vocabulary);
        strippedBehind = StripRule.of(metadata, vocabulary);
        bos = id(metadata, "bos_token_id", defaults.bos());
        eos = id(metadata, "eos_token_id", defaults.eos());
        endOfGeneration = EndTokens.of(metadata, vocabulary);
        addsBos = adds(metadata, "bos", bos, defaults.addsBos());
        addsEos = adds(metadata, "eos", eos, false);
        notes = List.copyOf(defaults.notes());
    }

    private OptionalInt id(TokenizerMetadata metadata, String name, OptionalInt byDefault) {
        OptionalInt named = metadata.id(name, vocabulary.size());
        return named.isPresent() ? named : byDefault;
    }

    private static boolean adds(TokenizerMetadata metadata, String token, OptionalInt id, boolean byDefault) {
        String flag = "add_" + token + "_token";
        if (metadata.flag(flag).orElse(false) && id.isEmpty()) {
            throw metadata.inconsistent(flag, "is true, but tokenizer.ggml." + token + "_token_id is missing");
        }
        return id.isPresent() && metadata.flag(flag).orElse(byDefault);
    }

    /**
     * Encodes a text.
     *
     * @param text any text
     * @param options what happens to special tokens
     * @return its ids; empty for an empty text without begin-of-sequence
     * @throws dev.tandem.spi.UsageException where the vocabulary cannot express the text, or there is no tokenizer
     */
    public int[] encode(String text, EncodeOptions options) {
        return encoded(text, options).toArray();
    }

    /**
     * Encodes a text and tells where each token stands in it.
     *
     * @param text any text; offsets count a lone surrogate as the U+FFFD that it becomes
     * @param options what happens to special tokens
     * @return the ids that {@link #encode} gives, with their ranges
     * @throws dev.tandem.spi.UsageException where the vocabulary cannot express the text, or there is no tokenizer
     */
    public Encoding encodeWithOffsets(String text, EncodeOptions options) {
        return encoded(text, options).toEncoding();
    }

    private IdList encoded(String text, EncodeOptions options) {
        requireText();
        String wellFormed = CodePoints.wellFormed(text);
        IdList ids = new IdList();
        if (options.addBos() && addsBos) {
            ids.add(bos.getAsInt(), 0);
        }
        int from = 0;
        while (from < wellFormed.length()) {
            SpecialTokens.Match match = specialTokens.find(wellFormed, from, options.parseSpecial());
            if (match.from() > from) {
                model.encode(wellFormed, from, match.from(), ids);
            }
            from = match.to();
            if (match.to() > match.from()) {
                ids.add(match.id(), CodePoints.utf8Length(wellFormed, match.from(), match.to()));
                if (strippedBehind.contains(match.id())) {
                    from = new Scanner(wellFormed, wellFormed.length()).run(from, CodePoints::isSpace);
                    ids.skip(CodePoints.utf8Length(wellFormed, match.to(), from));
                }
            }
        }
        if (options.addEos() && addsEos) {
            ids.add(eos.getAsInt(), 0);
        }
        return ids;
    }

    private void requireText() {
        if (model instanceof NoText none) {
            throw none.refusal();
        }
    }

    /**
     * The text of some ids, taken as a whole text: the space that encoding put in front is gone. What a model answers is no
     * whole text but goes on from another; see {@link #stream}.
     *
     * @param ids of the vocabulary
     * @param special whether control and unknown tokens are written out; else they are left out
     * @return the text, with U+FFFD for bytes that are no UTF-8
     * @throws IndexOutOfBoundsException where the vocabulary has no such id
     * @throws dev.tandem.spi.UsageException where there is no tokenizer
     */
    public String decode(int[] ids, boolean special) {
        requireText();
        StreamDecoder decoder = new StreamDecoder(this, special, model.prefixesSpace());
        StringBuilder text = new StringBuilder(4 * ids.length);
        for (int id : ids) {
            text.append(decoder.accept(id));
        }
        return text.append(decoder.flush()).toString();
    }

    /**
     * A decoder for ids that come one at a time and go on from other text. Without a tokenizer its text is empty.
     *
     * @param special whether control and unknown tokens are written out; else they are left out
     * @return a new decoder
     */
    public StreamDecoder stream(boolean special) {
        return new StreamDecoder(this, special, false);
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
     * Whether a complete text ends with {@link #eos()}, by {@code tokenizer.ggml.add_eos_token}.
     *
     * @return false where the file names no such token
     */
    public boolean addsEos() {
        return addsEos;
    }

    /**
     * Whether the model has a tokenizer at all; without one it runs from ids, and every id decodes to nothing.
     *
     * @return false where text is refused
     */
    public boolean hasText() {
        return !(model instanceof NoText);
    }

    /**
     * What the user should know of the tokenizer, such as a guess that the file forces.
     *
     * @return one sentence each; mostly empty
     */
    public List<String> notes() {
        return notes;
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
