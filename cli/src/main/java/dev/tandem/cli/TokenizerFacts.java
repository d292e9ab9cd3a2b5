package dev.tandem.cli;

import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.Metadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the metadata say of the tokenizer, which is known even where the tokenizer is not supported.
 *
 * @param model kind of tokenizer, such as {@code gpt2} for byte-level BPE; empty where the file does not say
 * @param preTokenizer how text is split first, such as {@code qwen2}; empty where the file does not say
 * @param specials tokens that have a role, in file order
 * @param controls tokens that are never text
 * @param added tokens that are found in text before it is split
 */
record TokenizerFacts(
        Optional<String> model, Optional<String> preTokenizer, List<Special> specials, int controls, int added) {
    private static final String PREFIX = "tokenizer.ggml.";
    private static final String ID = "_token_id";
    private static final long CONTROL = 3;
    private static final long USER_DEFINED = 4;

    /**
     * A token with a role.
     *
     * @param role such as {@code eos}
     * @param id the token
     * @param text as the vocabulary spells it; empty where the vocabulary has no such id
     */
    record Special(String role, long id, String text) {}

    static TokenizerFacts of(Metadata metadata) {
        List<String> vocabulary = read(() -> metadata.texts(PREFIX + "tokens")).orElse(List.of());
        List<Long> types = read(() -> metadata.integers(PREFIX + "token_type")).orElse(List.of());
        List<Special> specials = new ArrayList<>();
        for (String key : metadata.keys()) {
            if (key.startsWith(PREFIX) && key.endsWith(ID) && key.length() > PREFIX.length() + ID.length()) {
                String role = key.substring(PREFIX.length(), key.length() - ID.length());
                read(() -> metadata.integer(key))
                        .ifPresent(id -> specials.add(new Special(role, id, text(vocabulary, id))));
            }
        }
        return new TokenizerFacts(
                read(() -> metadata.text(PREFIX + "model")),
                read(() -> metadata.text(PREFIX + "pre")),
                List.copyOf(specials),
                count(types, CONTROL),
                count(types, USER_DEFINED));
    }

    private static String text(List<String> vocabulary, long id) {
        return id >= 0 && id < vocabulary.size() ? vocabulary.get((int) id) : "";
    }

    private static int count(List<Long> types, long wanted) {
        return (int) types.stream().filter(type -> type == wanted).count();
    }

    @FunctionalInterface
    private interface Reading<T> {
        Optional<T> read();
    }

    /** A value of another type than its key should have is shown among the metadata; here it is as if absent. */
    private static <T> Optional<T> read(Reading<T> reading) {
        try {
            return reading.read();
        } catch (ModelFileException e) {
            return Optional.empty();
        }
    }
}
