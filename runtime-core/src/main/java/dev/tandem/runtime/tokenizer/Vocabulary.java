package dev.tandem.runtime.tokenizer;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** The tokens of a model file: texts and types by id, and ids by text. Checked when read, immutable, thread-safe. */
final class Vocabulary {
    private final List<String> texts;
    private final List<TokenType> types;
    private final Map<String, Integer> ids;

    /**
     * A vocabulary; where a text comes twice, it means the lower id.
     *
     * @param texts by id
     * @param types by id, as many
     */
    Vocabulary(List<String> texts, List<TokenType> types) {
        this(List.copyOf(texts), List.copyOf(types), index(texts));
    }

    private Vocabulary(List<String> texts, List<TokenType> types, Map<String, Integer> ids) {
        this.texts = texts;
        this.types = types;
        this.ids = ids;
    }

    private static Map<String, Integer> index(List<String> texts) {
        Map<String, Integer> ids = HashMap.newHashMap(texts.size());
        for (int id = 0; id < texts.size(); id++) {
            if (!texts.get(id).isEmpty()) {
                ids.putIfAbsent(texts.get(id), id);
            }
        }
        return ids;
    }

    /** A vocabulary of so many tokens without texts; it takes no memory, since the number may come from a hostile file. */
    static Vocabulary blank(int size) {
        return new Vocabulary(Collections.nCopies(size, ""), Collections.nCopies(size, TokenType.UNUSED), Map.of());
    }

    /** Whether no token has a text. */
    boolean isBlank() {
        return ids.isEmpty();
    }

    int size() {
        return texts.size();
    }

    String text(int id) {
        return texts.get(id);
    }

    TokenType type(int id) {
        return types.get(id);
    }

    /** The first token of type UNKNOWN. */
    OptionalInt unknown() {
        int id = types.indexOf(TokenType.UNKNOWN);
        return id < 0 ? OptionalInt.empty() : OptionalInt.of(id);
    }

    /** The id where it is one of a control token. */
    OptionalInt control(int id) {
        return id < size() && type(id) == TokenType.CONTROL ? OptionalInt.of(id) : OptionalInt.empty();
    }

    /** The lowest id with a text that is not empty. */
    OptionalInt id(String text) {
        Integer id = ids.get(text);
        return id == null ? OptionalInt.empty() : OptionalInt.of(id);
    }
}
