package dev.tandem.runtime.tokenizer;

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
        this.texts = List.copyOf(texts);
        this.types = List.copyOf(types);
        this.ids = HashMap.newHashMap(texts.size());
        for (int id = 0; id < texts.size(); id++) {
            ids.putIfAbsent(texts.get(id), id);
        }
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

    OptionalInt id(String text) {
        Integer id = ids.get(text);
        return id == null ? OptionalInt.empty() : OptionalInt.of(id);
    }
}
