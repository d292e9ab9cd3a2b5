package dev.tandem.runtime.tokenizer;

import java.util.HashSet;
import java.util.Set;

/**
 * Which special tokens swallow the white space behind them.
 *
 * <p>The file format has no key for it. Phi-3's published tokenizer says it of {@code </s>} and of every special token but
 * {@code <unk>}, {@code <s>} and {@code <|endoftext|>}, and such models are known by {@code general.name}.
 */
final class StripRule {
    private static final Set<String> EXCEPTIONS = Set.of("<unk>", "<s>", "<|endoftext|>");

    private StripRule() {}

    /** The ids of those tokens; empty for nearly every model. */
    static Set<Integer> of(TokenizerMetadata metadata, Vocabulary vocabulary) {
        String name = metadata.modelName();
        if (vocabulary.isBlank() || !name.contains("phi-3") && !name.contains("phi3")) {
            return Set.of();
        }
        Set<Integer> ids = new HashSet<>();
        for (int id = 0; id < vocabulary.size(); id++) {
            TokenType type = vocabulary.type(id);
            boolean special = type.isSpecial() || type == TokenType.USER_DEFINED;
            if (special && !EXCEPTIONS.contains(vocabulary.text(id))) {
                ids.add(id);
            }
        }
        return Set.copyOf(ids);
    }
}
