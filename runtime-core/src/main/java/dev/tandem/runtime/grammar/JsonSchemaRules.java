package dev.tandem.runtime.grammar;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Turns a JSON schema into rules whose texts are JSON values that the schema accepts; not every accepted value is among
 * them. {@link Grammar#ofJsonSchema} says what is supported.
 */
final class JsonSchemaRules {
    private static final int MOST_RULES = 10_000;
    /** Schemas in each other, references followed. */
    private static final int MOST_NESTING = 200;

    private static final Set<String> OBJECT = Set.of("properties", "required", "additionalProperties");
    private static final Set<String> ARRAY = Set.of("items", "prefixItems", "minItems", "maxItems");
    private static final Set<String> STRING = Set.of("minLength", "maxLength", "pattern", "format");
    private static final Set<String> NUMBER = Set.of("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum");

    private final String source;
    private final @Nullable Object document;
    private final Map<String, Rule> rules;
    private int nesting;

    private JsonSchemaRules(@Nullable Object document, String source) {
        this.document = document;
        this.source = source;
        this.rules = new LinkedHashMap<>(GbnfParser.parse(JsonText.RULES, "JSON"));
    }

    /** The rules of a schema, and those of JSON. */
    static Map<String, Rule> of(@Nullable Object schema, String source) {
        JsonSchemaRules all = new JsonSchemaRules(schema, source);
        Expression whole = all.schema(schema, "#");
        all.rules.put(Grammar.ROOT, new Rule(Grammar.ROOT, source + " at #", whole));
        return all.rules;
    }

    /** A rule of its own for what stands at a pointer, made once. */
    Expression rule(String pointer, Supplier<Expression> expression) {
        if (!rules.containsKey(pointer)) {
            SchemaNode here = SchemaNode.of(source, pointer, Map.of());
            if (rules.size() == MOST_RULES) {
                throw here.refusal(pointer, "is one place too many: the schema is too large");
            }
            rules.put(pointer, new Rule(pointer, source + " at " + pointer, Expression.EMPTY));
            rules.put(pointer, new Rule(pointer, source + " at " + pointer, expression.get()));
        }
        return new Expression.Reference(pointer);
    }

    /** The values of a schema. */
    Expression schema(@Nullable Object schema, String pointer) {
        if (Boolean.TRUE.equals(schema)) {
            return JsonText.reference("value");
        }
        if (schema instanceof Map<?, ?> members) {
            return rule(pointer, () -> nested(SchemaNode.of(source, pointer, members)));
        }
        SchemaNode here = SchemaNode.of(source, pointer, Map.of());
        throw Boolean.FALSE.equals(schema)
                ? here.refusal(pointer, "is false, which allows no value")
                : here.refusal(pointer, "is no schema: neither an object nor true or false");
    }

    private Expression nested(SchemaNode node) {
        if (++nesting > MOST_NESTING) {
            throw node.refusal(node.pointer(), "is nested more than " + MOST_NESTING + " deep");
        }
        Expression values = values(node);
        nesting--;
        return values;
    }

    private Expression values(SchemaNode node) {
        if (node.has("$ref")) {
            node.requireOnly(Set.of("$ref"), " beside $ref");
            return referred(node);
        }
        if (node.has("const") || node.has("enum")) {
            node.requireOnly(Set.of("const", "enum", "type"), " beside const or enum");
            return fixed(node);
        }
        for (String keyword : List.of("anyOf", "oneOf")) {
            if (node.has(keyword)) {
                node.requireOnly(Set.of(keyword), " beside " + keyword);
                return anyOf(node, keyword);
            }
        }
        if (node.has("allOf")) {
            return nested(new AllOf(this).merged(node));
        }
        List<String> types = types(node);
        if (types.isEmpty()) {
            node.requireOnly(Set.of(), "");
            return JsonText.reference("value");
        }
        node.requireOnly(supported(types), types.size() == 1 ? " for type " + types.getFirst() : "");
        return new Expression.Choice(
                types.stream().map(type -> ofType(type, node)).toList());
    }

    private static Set<String> supported(List<String> types) {
        Set<String> keywords = new HashSet<>(Set.of("type"));
        for (String type : types) {
            keywords.addAll(
                    switch (type) {
                        case "object" -> OBJECT;
                        case "array" -> ARRAY;
                        case "string" -> STRING;
                        case "integer", "number" -> NUMBER;
                        default -> Set.of();
                    });
        }
        return keywords;
    }

    private Expression ofType(String type, SchemaNode node) {
        return switch (type) {
            case "object" -> new ObjectRules(this, node).expression();
            case "array" -> new ArrayRules(this, node).expression();
            case "string" -> ScalarRules.string(node);
            case "integer" -> ScalarRules.integer(node);
            case "number" -> ScalarRules.number(node);
            case "boolean" -> Expression.choice(Expression.text("true"), Expression.text("false"));
            case "null" -> Expression.text("null");
            default -> throw node.refusal(node.at("type"), "names '" + type + "', which is no type of JSON");
        };
    }

    /** The types named, else those that the keywords are about. */
    private static List<String> types(SchemaNode node) {
        if (node.has("type")) {
            List<String> types = node.get("type") instanceof String one ? List.of(one) : node.strings("type");
            if (types.isEmpty()) {
                throw node.refusal(node.at("type"), "names no type");
            }
            return types;
        }
        Map<String, Set<String>> about = new LinkedHashMap<>();
        about.put("object", OBJECT);
        about.put("array", ARRAY);
        about.put("string", STRING);
        about.put("number", NUMBER);
        return about.entrySet().stream()
                .filter(entry -> entry.getValue().stream().anyMatch(node::has))
                .map(Map.Entry::getKey)
                .toList();
    }

    private Expression fixed(SchemaNode node) {
        List<String> types = node.has("type") ? types(node) : List.of();
        List<@Nullable Object> values = new ArrayList<>();
        if (node.has("enum")) {
            values.addAll(node.list("enum"));
        } else {
            values.add(node.get("const"));
        }
        List<Expression> options = values.stream()
                .filter(value -> types.isEmpty() || types.stream().anyMatch(type -> isOfType(value, type)))
                .map(value -> Expression.text(JsonText.write(value)))
                .toList();
        if (options.isEmpty() || node.has("enum") && node.has("const")) {
            throw node.refusal(node.pointer(), "allows no value: see enum, const and type");
        }
        return new Expression.Choice(options);
    }

    private static boolean isOfType(@Nullable Object value, String type) {
        return switch (type) {
            case "object" -> value instanceof Map;
            case "array" -> value instanceof List;
            case "string" -> value instanceof String;
            case "number" -> value instanceof Number;
            case "integer" -> value instanceof Number && value.toString().matches("-?[0-9]+");
            case "boolean" -> value instanceof Boolean;
            case "null" -> value == null;
            default -> false;
        };
    }

    private Expression anyOf(SchemaNode node, String keyword) {
        List<?> options = node.list(keyword);
        if (options.isEmpty()) {
            throw node.refusal(node.at(keyword), "is empty");
        }
        List<Expression> expressions = new ArrayList<>();
        for (int i = 0; i < options.size(); i++) {
            expressions.add(schema(options.get(i), node.at(keyword, Integer.toString(i))));
        }
        return new Expression.Choice(expressions);
    }

    private Expression referred(SchemaNode node) {
        // Spelled as every other pointer to the same place is.
        SchemaNode start = SchemaNode.of(source, "#", Map.of());
        return schema(resolve(node), start.at(names(node.string("$ref")).toArray(String[]::new)));
    }

    private static List<String> names(String pointer) {
        return Stream.of(pointer.split("/", -1))
                .skip(1)
                .map(part -> part.replace("~1", "/").replace("~0", "~"))
                .toList();
    }

    /** What a reference refers to; references lead to places in the same document only. */
    @Nullable
    Object resolve(SchemaNode node) {
        String pointer = node.string("$ref");
        if (!pointer.equals("#") && !pointer.startsWith("#/")) {
            throw node.refusal(node.at("$ref"), "is '" + pointer + "'; only '#' and '#/…' are supported");
        }
        Object found = document;
        for (String name : names(pointer)) {
            Optional<Object> next = member(found, name);
            if (next.isEmpty()) {
                throw node.refusal(node.at("$ref"), "is '" + pointer + "', where nothing stands");
            }
            found = next.get();
        }
        return found;
    }

    private static Optional<Object> member(@Nullable Object value, String name) {
        if (value instanceof List<?> list) {
            boolean index = name.matches("[0-9]{1,6}") && Integer.parseInt(name) < list.size();
            return index ? Optional.ofNullable(list.get(Integer.parseInt(name))) : Optional.empty();
        }
        return value instanceof Map<?, ?> map ? Optional.ofNullable(map.get(name)) : Optional.empty();
    }
}
