package dev.tandem.runtime.grammar;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A set of texts, given by rules. Immutable and thread-safe. */
public final class Grammar {
    /** The rule that the whole text must be. */
    static final String ROOT = "root";

    private final Network network;

    private Grammar(Map<String, Rule> rules) {
        RuleChecks.check(rules);
        this.network = new Network(rules, ROOT);
    }

    /**
     * Reads a grammar in GBNF, whose rule {@code root} is the text.
     *
     * @param text rules
     * @param source where they come from, for messages
     * @return the grammar
     * @throws UsageException where the text is no grammar, or one that is too large, never ends or is left-recursive
     */
    public static Grammar parse(String text, String source) {
        Map<String, Rule> rules = GbnfParser.parse(text, source);
        if (!rules.containsKey(ROOT)) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, source + " has no rule 'root'", "Name the rule of the whole text 'root'.");
        }
        return new Grammar(rules);
    }

    /**
     * The grammar of JSON values that a schema accepts; not of all of them.
     *
     * <p>Supported: true and {@code {}}; type, one or several; properties (written in the order of the schema), required,
     * additionalProperties; items, prefixItems, minItems, maxItems; enum and const; minLength, maxLength; pattern (see
     * {@link PatternParser}); the formats date (without 29 February), time, date-time and uuid; minimum, maximum and their
     * exclusive forms; anyOf; oneOf, which is taken as anyOf; allOf of one schema or of objects with properties and required;
     * {@code $ref} to a place in the same document. Where nothing is said of additionalProperties, only objects without any
     * properties have some. Numbers have at most sixteen digits on each side of the point. Annotations such as title and
     * default mean nothing.
     *
     * @param schema of maps, lists, strings, numbers, booleans and null
     * @param source where it comes from, for messages
     * @return the grammar
     * @throws UsageException naming the JSON pointer of what is wrong or not supported
     */
    public static Grammar ofJsonSchema(@Nullable Object schema, String source) {
        return new Grammar(JsonSchemaRules.of(schema, source));
    }

    Network network() {
        return network;
    }
}
