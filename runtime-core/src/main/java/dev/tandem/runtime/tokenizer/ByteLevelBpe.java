package dev.tandem.runtime.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Byte-level byte-pair encoding, {@code tokenizer.ggml.model = gpt2}: every word is a sequence of bytes, merged by rank.
 *
 * <p>A vocabulary may lack tokens for some bytes. Text that needs one becomes the unknown token where the file has one
 * and is refused where it has none; nothing is dropped in silence.
 */
final class ByteLevelBpe implements TokenModel {
    private static final int ABSENT = -1;

    private final PreTokenization rules;
    private final MergeTable merges;
    private final int[] idOfByte = new int[256];
    private final int unknown;
    /** Words that are tokens as they stand; empty where merges decide alone. */
    private final Map<String, Integer> wholeWords;

    private ByteLevelBpe(PreTokenization rules, MergeTable merges, Vocabulary vocabulary, OptionalInt unknown) {
        this.rules = rules;
        this.merges = merges;
        this.unknown = unknown.orElse(ABSENT);
        this.wholeWords = rules.wholeWords() ? normalTokens(vocabulary) : Map.of();
        for (int b = 0; b < 256; b++) {
            idOfByte[b] =
                    vocabulary.id(Character.toString(ByteAlphabet.charOf(b))).orElse(ABSENT);
        }
    }

    /** Reads and checks pre-tokenizer and merges. */
    static ByteLevelBpe read(TokenizerMetadata metadata, Vocabulary vocabulary, PreTokenization rules) {
        List<String> lines = metadata.requiredTexts("merges");
        MergeTable table = new MergeTable(lines.size());
        for (int rank = 0; rank < lines.size(); rank++) {
            String line = lines.get(rank);
            int space = line.indexOf(' ');
            if (space <= 0 || space == line.length() - 1) {
                throw metadata.inconsistent(
                        "merges", "entry " + rank + " is '" + line + "', not two tokens and a space");
            }
            String left = line.substring(0, space);
            String right = line.substring(space + 1);
            table.add(
                    rank,
                    known(metadata, vocabulary, rank, left),
                    known(metadata, vocabulary, rank, right),
                    known(metadata, vocabulary, rank, left + right));
        }
        return new ByteLevelBpe(rules, table, vocabulary, metadata.id("unknown_token_id", vocabulary.size()));
    }

    private static int known(TokenizerMetadata metadata, Vocabulary vocabulary, int rank, String piece) {
        return vocabulary
                .id(piece)
                .orElseThrow(() -> metadata.inconsistent(
                        "merges", "entry " + rank + " needs the token '" + piece + "', which the vocabulary lacks"));
    }

    private static Map<String, Integer> normalTokens(Vocabulary vocabulary) {
        Map<String, Integer> words = HashMap.newHashMap(vocabulary.size());
        for (int id = 0; id < vocabulary.size(); id++) {
            // Only these: text must not turn into a control token by the back door.
            if (vocabulary.type(id) == TokenType.NORMAL) {
                words.putIfAbsent(vocabulary.text(id), id);
            }
        }
        return words;
    }

    @Override
    public void encode(String text, int from, int to, IdList ids) {
        BytePairMerger merger = new BytePairMerger(merges);
        rules.preTokenizer().split(text, from, to, (start, end) -> encodeWord(text, start, end, merger, ids));
    }

    @Override
    public byte[] bytes(String piece) {
        return ByteAlphabet.bytesOf(piece);
    }

    private void encodeWord(String text, int from, int to, BytePairMerger merger, IdList ids) {
        byte[] bytes = text.substring(from, to).getBytes(StandardCharsets.UTF_8);
        Integer whole = wholeWords.isEmpty() ? null : wholeWords.get(written(bytes));
        if (whole != null) {
            ids.add(whole, bytes.length);
            return;
        }
        merger.clear();
        for (byte b : bytes) {
            merger.add(idOfByte[b & 0xFF]);
        }
        merger.merge();
        for (int i = merger.first(); i >= 0; i = merger.after(i)) {
            int id = merger.token(i) == ABSENT ? unknown : merger.token(i);
            if (id == ABSENT) {
                throw TokenModel.inexpressible(text.substring(from, to));
            }
            ids.add(id, merger.width(i));
        }
    }

    private static String written(byte[] bytes) {
        char[] chars = new char[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            chars[i] = ByteAlphabet.charOf(bytes[i] & 0xFF);
        }
        return new String(chars);
    }
}
