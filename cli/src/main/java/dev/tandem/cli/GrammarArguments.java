package dev.tandem.cli;

import dev.tandem.runtime.grammar.Grammar;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** What form the text must have. */
final class GrammarArguments {
    private static final JsonMapper SCHEMAS = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    @Option(
            names = "--grammar",
            paramLabel = "FILE",
            description = "A grammar in GBNF that the text must obey. It ends where nothing can follow.")
    @Nullable
    Path grammar;

    @Option(
            names = "--json-schema",
            paramLabel = "FILE",
            description = "A JSON schema: the text is a JSON value that it accepts. What is not supported of it is an"
                    + " error.")
    @Nullable
    Path schema;

    /** Whether a form is asked for. */
    boolean isGiven() {
        return grammar != null || schema != null;
    }

    /**
     * The grammar asked for.
     *
     * @return empty where the text is free
     * @throws UsageException where a file cannot be read or is none
     */
    Optional<Grammar> toGrammar(Console console) {
        Path rules = grammar;
        Path json = schema;
        if (rules != null && json != null) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "--grammar and --json-schema exclude each other", "Give one of the two.");
        }
        if (rules != null) {
            return Optional.of(Grammar.parse(TextInput.read(rules, console), rules.toString()));
        }
        return json == null
                ? Optional.empty()
                : Optional.of(Grammar.ofJsonSchema(parsed(json, TextInput.read(json, console)), json.toString()));
    }

    private static @Nullable Object parsed(Path file, String text) {
        try {
            return SCHEMAS.readValue(text, Object.class);
        } catch (JacksonException e) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    file + " is no JSON: line " + e.getLocation().getLineNr() + ": " + e.getOriginalMessage(),
                    "Correct the file.",
                    e);
        }
    }
}
