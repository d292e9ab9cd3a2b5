package dev.tandem.runtime.grammar;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Joins the parts of allOf into one schema: a single part as it is, several where all are plain objects. */
final class AllOf {
    private static final Set<String> JOINED = Set.of("type", "properties", "required");
    private static final int MOST_REFERENCES = 100;

    private final JsonSchemaRules rules;

    AllOf(JsonSchemaRules rules) {
        this.rules = rules;
    }

    SchemaNode merged(SchemaNode node) {
        List<SchemaNode> parts = new ArrayList<>();
        Map<String, @Nullable Object> beside = new LinkedHashMap<>(node.members());
        beside.remove("allOf");
        if (!beside.isEmpty()) {
            parts.add(new SchemaNode(node.source(), node.pointer(), beside));
        }
        List<?> listed = node.list("allOf");
        for (int i = 0; i < listed.size(); i++) {
            parts.add(resolved(listed.get(i), node, node.at("allOf", Integer.toString(i))));
        }
        if (parts.isEmpty()) {
            throw node.refusal(node.at("allOf"), "is empty");
        }
        return parts.size() == 1 ? parts.getFirst() : joined(node, parts);
    }

    private SchemaNode resolved(@Nullable Object schema, SchemaNode node, String pointer) {
        Object found = schema;
        for (int i = 0; i < MOST_REFERENCES; i++) {
            if (!(found instanceof Map<?, ?> members)) {
                throw node.refusal(pointer, "is no object");
            }
            SchemaNode part = SchemaNode.of(node.source(), pointer, members);
            if (!part.has("$ref")) {
                return part;
            }
            part.requireOnly(Set.of("$ref"), " beside $ref");
            found = rules.resolve(part);
        }
        throw node.refusal(pointer, "refers to itself");
    }

    private static SchemaNode joined(SchemaNode node, List<SchemaNode> parts) {
        Map<String, @Nullable Object> properties = new LinkedHashMap<>();
        Set<String> required = new LinkedHashSet<>();
        for (SchemaNode part : parts) {
            part.requireOnly(JOINED, " where allOf joins several schemas");
            if (part.has("type") && !"object".equals(part.get("type"))) {
                throw part.refusal(part.at("type"), "is not 'object', where allOf joins several schemas");
            }
            part.map("properties").forEach((name, schema) -> {
                boolean twice = properties.containsKey(String.valueOf(name));
                if (twice && !Objects.equals(schema, properties.get(String.valueOf(name)))) {
                    throw part.refusal(part.at("properties", String.valueOf(name)), "is given twice by allOf");
                }
                properties.put(String.valueOf(name), schema);
            });
            required.addAll(part.strings("required"));
        }
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("type", "object");
        members.put("properties", properties);
        members.put("required", List.copyOf(required));
        return new SchemaNode(node.source(), node.pointer(), members);
    }
}
