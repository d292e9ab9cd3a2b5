package dev.tandem.runtime.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/**
 * SentencePiece, {@code tokenizer.ggml.model = llama}: characters merge into the adjacent pair that makes the token of the
 * highest score, until no pair makes a token.
 *
 * <p>A space is written as U+2581, so U+2581 in a text decodes to a space. Where the file asks for it, or is silent, every
 * range of plain text gets a space in front. A character that is no token becomes its UTF-8 bytes, one token each; a
 * vocabulary without those has an unknown token for it, or the text is refused.
 *
 * <p>Only tokens of ordinary text are made from text: characters never merge into a control token.
 */
final class SentencePiece implements TokenModel, Merges {
    private static final char SPACE = '\u2581';
    private static final int ABSENT = -1;

    private final Vocabulary vocabulary;
    private final boolean prefixesSpace;
    private final int[] rankOfToken;
    private final int[] idOfByte = new int[256];
    private final int unknown;

    private SentencePiece(Vocabulary vocabulary, boolean prefixesSpace, int[] rankOfToken, OptionalInt unknown) {
        this.vocabulary = vocabulary;
        this.prefixesSpace = prefixesSpace;
        this.rankOfToken = rankOfToken;
        this.unknown = unknown.orElse(ABSENT);
        for (int b = 0; b < 256; b++) {
            idOfByte[b] =
                    vocabulary.id(String.format(Locale.ROOT, "<0x%02X>", b)).orElse(ABSENT);
        }
    }

    /** Reads and checks scores and rules. */
    static SentencePiece read(TokenizerMetadata metadata, Vocabulary vocabulary) {
        return new SentencePiece(
                vocabulary,
                metadata.flag("add_space_prefix").orElse(true),
                ranks(metadata, vocabulary),
                unknown(metadata, vocabulary));
    }

    private static OptionalInt unknown(TokenizerMetadata metadata, Vocabulary vocabulary) {
        OptionalInt named = metadata.id("unknown_token_id", vocabulary.size());
        return named.isPresent() ? named : vocabulary.unknown();
    }

    private static int[] ranks(TokenizerMetadata metadata, Vocabulary vocabulary) {
        List<Double> scores = metadata.requiredReals("scores");
        if (scores.size() != vocabulary.size()) {
            throw metadata.inconsistent(
                    "scores", "has " + scores.size() + " entries, but tokenizer.ggml.tokens has " + vocabulary.size());
        }
        int[] ranks = new int[vocabulary.size()];
        for (int id = 0; id < ranks.length; id++) {
            float score = scores.get(id).floatValue();
            if (!Float.isFinite(score)) {
                throw metadata.inconsistent("scores", "is " + score + " for token " + id + ", not a finite number");
            }
            ranks[id] = vocabulary.type(id).isText() ? rank(score) : NONE;
        }
        return ranks;
    }

    /** An integer that is the lower, the higher the score; equal scores give equal ones. */
    private static int rank(float score) {
        // Subtracted from zero rather than negated: -0 and 0 are equal scores.
        int bits = Float.floatToIntBits(0f - score);
        return bits >= 0 ? bits : bits ^ Integer.MAX_VALUE;
    }

    @Override
    public void encode(String text, int from, int to, IdList ids) {
        BytePairMerger merger = new BytePairMerger(this);
        int outside = prefixesSpace ? 1 : 0;
        if (prefixesSpace) {
            merger.add(symbol(SPACE));
        }
        for (int i = from; i < to; i += Character.charCount(text.codePointAt(i))) {
            merger.add(symbol(text.codePointAt(i) == ' ' ? SPACE : text.codePointAt(i)));
        }
        merger.merge();
        int start = from;
        for (int i = merger.first(); i >= 0; i = merger.after(i)) {
            int end = text.offsetByCodePoints(start, merger.width(i) - outside);
            outside = 0;
            add(merger.token(i), text, start, end, ids);
            start = end;
        }
    }

    private void add(int symbol, String text, int start, int end, IdList ids) {
        int length = CodePoints.utf8Length(text, start, end);
        if (symbol < vocabulary.size()) {
            ids.add(symbol, length);
            return;
        }
        byte[] bytes = bytes(text(symbol));
        if (!hasAll(bytes)) {
            if (unknown == ABSENT) {
                throw TokenModel.inexpressible(text(symbol));
            }
            ids.add(unknown, length);
            return;
        }
        // The space in front is no byte of the text.
        for (int i = 0; i < bytes.length; i++) {
            ids.add(idOfByte[bytes[i] & 0xFF], i < length ? 1 : 0);
        }
    }

    private boolean hasAll(byte[] bytes) {
        for (byte b : bytes) {
            if (idOfByte[b & 0xFF] == ABSENT) {
                return false;
            }
        }
        return true;
    }

    /** The token of one character, or a number beyond all ids where it is none: it may still be part of a token. */
    private int symbol(int codePoint) {
        int id = textToken(Character.toString(codePoint));
        return id == ABSENT ? vocabulary.size() + codePoint : id;
    }

    private String text(int symbol) {
        return symbol < vocabulary.size() ? vocabulary.text(symbol) : Character.toString(symbol - vocabulary.size());
    }

    private int textToken(String text) {
        int id = vocabulary.id(text).orElse(ABSENT);
        return id != ABSENT && rankOfToken[id] != NONE ? id : ABSENT;
    }

    @Override
    public int rank(int left, int right) {
        int id = textToken(text(left) + text(right));
        return id == ABSENT ? NONE : rankOfToken[id];
    }

    @Override
    public int result(int left, int right) {
        return textToken(text(left) + text(right));
    }

    @Override
    public byte[] bytes(String piece) {
        return piece.replace(SPACE, ' ').getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean prefixesSpace() {
        return prefixesSpace;
    }
}
