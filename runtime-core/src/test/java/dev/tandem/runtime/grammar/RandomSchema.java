package dev.tandem.runtime.grammar;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import tools.jackson.databind.JsonNode;

/** Seeded schemas whose values are bounded, and a plain judge of values. */
final class RandomSchema {
    private static final int DEEPEST = 3;

    private final Random random;

    RandomSchema(Random random) {
        this.random = random;
    }

    Map<String, Object> next(int depth) {
        return switch (random.nextInt(depth < DEEPEST ? 9 : 6)) {
            case 0 -> Map.of("type", "integer", "minimum", -random.nextInt(300), "maximum", random.nextInt(3000));
            case 1 -> Map.of("type", "number", "minimum", new BigDecimal("-2.5"), "maximum", 1 + random.nextInt(40));
            case 2 -> Map.of("type", "string", "minLength", random.nextInt(3), "maxLength", 3 + random.nextInt(6));
            case 3 -> Map.of("enum", List.of("red", "gr\u00fcn", 3, true, List.of("x\n\"\\")));
            case 4 -> Map.of("type", List.of("boolean", "null"));
            case 5 -> Map.of("type", "string", "pattern", "^[A-Z\"][a-z\\\\]{1,4}( \\d{2,3})?$");
            case 6 -> array(depth);
            case 7 -> Map.of("anyOf", List.of(next(depth + 1), next(depth + 1)));
            default -> object(depth);
        };
    }

    private Map<String, Object> array(int depth) {
        int least = random.nextInt(3);
        return Map.of(
                "type", "array", "items", next(depth + 1), "minItems", least, "maxItems", least + random.nextInt(3));
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        for (String name : List.of("name", "na", "\"quoted\"", "\u00e4")) {
            if (random.nextInt(3) > 0) {
                properties.put(name, next(depth + 1));
                if (random.nextBoolean()) {
                    required.add(name);
                }
            }
        }
        return Map.of("type", "object", "properties", properties, "required", required, "additionalProperties", false);
    }

    /** Whether a value is valid, by the keywords that {@link #next} uses. */
    static boolean accepts(Map<?, ?> schema, JsonNode value) {
        if (schema.get("anyOf") instanceof List<?> options) {
            return options.stream().anyMatch(option -> accepts((Map<?, ?>) option, value));
        }
        if (schema.get("enum") instanceof List<?> values) {
            return List.of("\"red\"", "\"gr\u00fcn\"", "3", "true", "[\"x\\n\\\"\\\\\"]")
                            .contains(value.toString())
                    && !values.isEmpty();
        }
        return switch (String.valueOf(schema.get("type"))) {
            case "integer" -> value.isIntegralNumber() && inRange(schema, value);
            case "number" -> value.isNumber() && inRange(schema, value);
            case "string" -> value.isString() && acceptsText(schema, value.asString());
            case "array" -> acceptsArray(schema, value);
            case "object" -> acceptsObject(schema, value);
            default -> value.isBoolean() || value.isNull();
        };
    }

    private static int number(Map<?, ?> schema, String keyword) {
        return ((Number) Objects.requireNonNull(schema.get(keyword))).intValue();
    }

    private static boolean inRange(Map<?, ?> schema, JsonNode value) {
        BigDecimal exact = new BigDecimal(value.toString());
        return exact.compareTo(new BigDecimal(String.valueOf(schema.get("minimum")))) >= 0
                && exact.compareTo(new BigDecimal(String.valueOf(schema.get("maximum")))) <= 0;
    }

    private static boolean acceptsText(Map<?, ?> schema, String text) {
        if (schema.get("pattern") instanceof String pattern) {
            return text.matches(pattern);
        }
        int length = text.codePointCount(0, text.length());
        return length >= number(schema, "minLength") && length <= number(schema, "maxLength");
    }

    private static boolean acceptsArray(Map<?, ?> schema, JsonNode value) {
        boolean valid = value.isArray()
                && value.size() >= number(schema, "minItems")
                && value.size() <= number(schema, "maxItems");
        for (JsonNode element : value) {
            valid &= accepts((Map<?, ?>) Objects.requireNonNull(schema.get("items")), element);
        }
        return valid;
    }

    private static boolean acceptsObject(Map<?, ?> schema, JsonNode value) {
        Map<?, ?> properties = (Map<?, ?>) Objects.requireNonNull(schema.get("properties"));
        boolean valid = value.isObject();
        for (String name : value.propertyNames()) {
            valid &= properties.get(name) instanceof Map<?, ?> property
                    && accepts(property, Objects.requireNonNull(value.get(name)));
        }
        for (Object name : (List<?>) Objects.requireNonNull(schema.get("required"))) {
            valid &= value.has(String.valueOf(name));
        }
        return valid;
    }
}
