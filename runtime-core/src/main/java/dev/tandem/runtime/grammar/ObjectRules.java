package dev.tandem.runtime.grammar;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Objects: the properties in the order of the schema, then further ones where they are asked for. */
final class ObjectRules {
    private static final Expression SPACE = JsonText.reference("space");
    private static final Expression COMMA = Expression.sequence(SPACE, Expression.text(","), SPACE);

    private static final int MOST_PROPERTIES = 500;
    private static final int LONGEST_NAME = 200;

    private final JsonSchemaRules rules;
    private final SchemaNode node;
    private final List<Expression> members = new ArrayList<>();
    private final List<Boolean> required = new ArrayList<>();
    private final @Nullable Expression further;

    ObjectRules(JsonSchemaRules rules, SchemaNode node) {
        this.rules = rules;
        this.node = node;
        Map<String, @Nullable Object> properties = new LinkedHashMap<>();
        node.map("properties").forEach((name, schema) -> properties.put(String.valueOf(name), schema));
        Set<String> needed = new HashSet<>(node.strings("required"));
        for (String name : new TreeSet<>(needed)) {
            if (!properties.containsKey(name)) {
                properties.put(name, node.has("additionalProperties") ? node.get("additionalProperties") : true);
            }
        }
        requireFew(properties.keySet());
        properties.forEach((name, schema) -> {
            members.add(
                    member(Expression.text(JsonText.write(name)), rules.schema(schema, node.at("properties", name))));
            required.add(needed.contains(name));
        });
        this.further = further(properties.keySet());
    }

    private void requireFew(Set<String> names) {
        if (names.size() > MOST_PROPERTIES) {
            throw node.refusal(node.pointer(), "has more than " + MOST_PROPERTIES + " properties");
        }
        for (String name : names) {
            if (name.length() > LONGEST_NAME) {
                throw node.refusal(node.pointer(), "has a property with a name of " + name.length() + " characters");
            }
        }
    }

    private static Expression member(Expression key, Expression value) {
        return Expression.sequence(key, SPACE, Expression.text(":"), SPACE, value);
    }

    /** One further property, or null: where nothing is said of them, only an object without properties has any. */
    private @Nullable Expression further(Set<String> declared) {
        Object schema = node.has("additionalProperties") ? node.get("additionalProperties") : declared.isEmpty();
        if (Boolean.FALSE.equals(schema)) {
            return null;
        }
        Expression key = declared.isEmpty()
                ? JsonText.reference("string")
                : JsonText.quoted(otherThan(declared, node.pointer() + "~name"));
        return rules.rule(
                node.pointer() + "~member", () -> member(key, rules.schema(schema, node.at("additionalProperties"))));
    }

    /**
     * Names that are none of some, without escapes, by which a name could be written otherwise. The names of the rules made
     * here and below hold a tilde that no pointer has.
     *
     * @param names what may not follow here
     * @param place for the rules of names that begin alike
     */
    private Expression otherThan(Set<String> names, String place) {
        Map<Integer, Set<String>> rests = new LinkedHashMap<>();
        CodePointRanges free =
                CodePointRanges.of(0, 0x1F).or(CodePointRanges.anyOf("\"\\")).complement();
        for (String name : new TreeSet<>(names)) {
            if (!name.isEmpty()) {
                int first = name.codePointAt(0);
                rests.computeIfAbsent(first, c -> new HashSet<>()).add(name.substring(Character.charCount(first)));
            }
        }
        List<Expression> options = new ArrayList<>();
        if (!names.contains("")) {
            options.add(Expression.EMPTY);
        }
        CodePointRanges others = free;
        for (Map.Entry<Integer, Set<String>> rest : rests.entrySet()) {
            int c = rest.getKey();
            CodePointRanges one = CodePointRanges.of(c, c);
            others = others.and(one.complement());
            if (free.contains(c)) {
                String next = place + "/" + Integer.toHexString(c);
                options.add(Expression.sequence(
                        new Expression.Characters(one), rules.rule(next, () -> otherThan(rest.getValue(), next))));
            }
        }
        options.add(Expression.sequence(
                new Expression.Characters(others),
                new Expression.Repeat(new Expression.Characters(free), 0, Expression.Repeat.UNBOUNDED)));
        return new Expression.Choice(options);
    }

    Expression expression() {
        return Expression.sequence(Expression.text("{"), SPACE, first(0), SPACE, Expression.text("}"));
    }

    /** Members from an index on, where none stands before. */
    private Expression first(int index) {
        return rules.rule(node.pointer() + "~first" + index, () -> {
            if (index == members.size()) {
                Expression one = further;
                return one == null ? Expression.EMPTY : Expression.optional(Expression.sequence(one, after(index)));
            }
            Expression here = Expression.sequence(members.get(index), after(index + 1));
            return required.get(index) ? here : Expression.choice(here, first(index + 1));
        });
    }

    /** Members from an index on, where some stand before. */
    private Expression after(int index) {
        return rules.rule(node.pointer() + "~after" + index, () -> {
            if (index == members.size()) {
                Expression one = further;
                return one == null
                        ? Expression.EMPTY
                        : new Expression.Repeat(Expression.sequence(COMMA, one), 0, Expression.Repeat.UNBOUNDED);
            }
            Expression here = Expression.sequence(COMMA, members.get(index));
            return Expression.sequence(required.get(index) ? here : Expression.optional(here), after(index + 1));
        });
    }
}
