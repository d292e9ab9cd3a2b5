package dev.tandem.runtime.tokenizer;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.Metadata;
import dev.tandem.spi.model.ModelView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads and checks the keys {@code tokenizer.ggml.*} of a model file; what is wrong is reported by key and file. */
final class TokenizerMetadata {
    private static final String PREFIX = "tokenizer.ggml.";

    private final String file;
    private final Metadata metadata;

    TokenizerMetadata(ModelView model) {
        file = model.id().file();
        metadata = model.metadata();
    }

    Optional<String> text(String name) {
        return metadata.text(PREFIX + name);
    }

    Optional<Boolean> flag(String name) {
        return metadata.flag(PREFIX + name);
    }

    /** The name of the file, for messages. */
    String file() {
        return file;
    }

    /** Whether the key is there, of whatever type. */
    boolean has(String name) {
        return metadata.typeOf(PREFIX + name).isPresent();
    }

    /** What the model calls itself, in lower case; empty where it does not say. */
    String modelName() {
        return metadata.text("general.name").orElse("").toLowerCase(Locale.ROOT);
    }

    List<Double> requiredReals(String name) {
        return metadata.reals(PREFIX + name).orElseThrow(() -> inconsistent(name, "is missing"));
    }

    List<String> requiredTexts(String name) {
        return metadata.texts(PREFIX + name).orElseThrow(() -> inconsistent(name, "is missing"));
    }

    /** A token id, checked against the size of the vocabulary. */
    OptionalInt id(String name, int vocabularySize) {
        Optional<Long> id = metadata.integer(PREFIX + name);
        if (id.isEmpty()) {
            return OptionalInt.empty();
        }
        if (id.get() < 0 || id.get() >= vocabularySize) {
            throw inconsistent(name, "is " + id.get() + ", but the vocabulary has ids 0 to " + (vocabularySize - 1));
        }
        return OptionalInt.of(id.get().intValue());
    }

    /** Tokens and their types; without the key of types all tokens are NORMAL. */
    Vocabulary vocabulary() {
        List<String> texts = requiredTexts("tokens");
        if (texts.isEmpty()) {
            throw inconsistent("tokens", "is empty");
        }
        Optional<List<Long>> numbers = metadata.integers(PREFIX + "token_type");
        return new Vocabulary(
                texts,
                numbers.map(values -> types(values, texts.size()))
                        .orElseGet(() -> Collections.nCopies(texts.size(), TokenType.NORMAL)));
    }

    private List<TokenType> types(List<Long> numbers, int tokens) {
        if (numbers.size() != tokens) {
            throw inconsistent(
                    "token_type", "has " + numbers.size() + " entries, but " + PREFIX + "tokens has " + tokens);
        }
        List<TokenType> types = new ArrayList<>(tokens);
        for (int id = 0; id < tokens; id++) {
            long number = numbers.get(id);
            int token = id;
            types.add(TokenType.of(number)
                    .orElseThrow(() -> inconsistent(
                            "token_type",
                            "is " + number + " for token " + token + ", but types are 1 to "
                                    + TokenType.values().length)));
        }
        return types;
    }

    /** A failure of this file: a key and what is wrong with it. */
    ModelFileException inconsistent(String name, String problem) {
        return new ModelFileException(ErrorCode.MODEL_INCONSISTENT, file + ": " + PREFIX + name + " " + problem);
    }

    /** A refusal of something this file asks for. */
    ModelFileException unsupported(String name, String problem, String remedy) {
        return new ModelFileException(ErrorCode.MODEL_UNSUPPORTED, file + ": " + PREFIX + name + " " + problem, remedy);
    }
}
