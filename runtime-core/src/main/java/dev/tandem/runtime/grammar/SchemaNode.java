package dev.tandem.runtime.grammar;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A schema that is an object, with its place for messages.
 *
 * @param source of the whole schema, such as a file
 * @param pointer JSON pointer in it, as a fragment: {@code #} for the whole
 * @param members by keyword
 */
record SchemaNode(String source, String pointer, Map<String, @Nullable Object> members) {
    /** Keywords that say nothing about which values are valid. */
    private static final Set<String> ANNOTATIONS = Set.of(
            "$schema",
            "$id",
            "$comment",
            "$defs",
            "definitions",
            "title",
            "description",
            "default",
            "examples",
            "deprecated",
            "readOnly",
            "writeOnly");

    /** Greatest number of characters, elements or properties that a schema may count to. */
    private static final int MOST_COUNT = 100_000;
    /** Greatest power of ten of a number, either way. */
    private static final int MOST_SCALE = 400;

    static SchemaNode of(String source, String pointer, Map<?, ?> members) {
        Map<String, @Nullable Object> named = new LinkedHashMap<>();
        members.forEach((keyword, value) -> {
            if (!ANNOTATIONS.contains(String.valueOf(keyword))) {
                named.put(String.valueOf(keyword), value);
            }
        });
        return new SchemaNode(source, pointer, named);
    }

    boolean has(String keyword) {
        return members.containsKey(keyword);
    }

    @Nullable
    Object get(String keyword) {
        return members.get(keyword);
    }

    /** The pointer of a member, with the characters escaped that a pointer escapes. */
    String at(String... path) {
        StringBuilder text = new StringBuilder(pointer);
        for (String part : path) {
            text.append('/').append(part.replace("~", "~0").replace("/", "~1"));
        }
        return text.toString();
    }

    /** Refuses keywords that are not among some. */
    void requireOnly(Set<String> keywords, String beside) {
        for (String keyword : new TreeSet<>(members.keySet())) {
            if (!keywords.contains(keyword)) {
                throw refusal(at(keyword), "is not supported" + beside);
            }
        }
    }

    OptionalInt count(String keyword) {
        Object value = get(keyword);
        if (!has(keyword)) {
            return OptionalInt.empty();
        }
        Optional<BigDecimal> number = decimal(value)
                .filter(d -> d.signum() >= 0
                        && d.compareTo(BigDecimal.valueOf(MOST_COUNT)) <= 0
                        && d.remainder(BigDecimal.ONE).signum() == 0);
        if (number.isEmpty()) {
            throw refusal(at(keyword), "is not a whole number of 0 to " + MOST_COUNT);
        }
        return OptionalInt.of(number.get().intValue());
    }

    Optional<BigDecimal> number(String keyword) {
        if (!has(keyword)) {
            return Optional.empty();
        }
        Optional<BigDecimal> number = decimal(get(keyword));
        if (number.isEmpty()) {
            throw refusal(at(keyword), "is not a number, or one out of all range");
        }
        return number;
    }

    private static Optional<BigDecimal> decimal(@Nullable Object value) {
        if (!(value instanceof Number) || !value.toString().matches("-?[0-9].*")) {
            return Optional.empty(); // Java's infinities among them
        }
        return Optional.of(new BigDecimal(value.toString())).filter(d -> Math.abs((long) d.scale()) <= MOST_SCALE);
    }

    String string(String keyword) {
        if (get(keyword) instanceof String text) {
            return text;
        }
        throw refusal(at(keyword), "is not a string");
    }

    List<?> list(String keyword) {
        if (get(keyword) instanceof List<?> list) {
            return list;
        }
        throw refusal(at(keyword), "is not an array");
    }

    List<String> strings(String keyword) {
        List<String> texts = new ArrayList<>();
        for (Object element : has(keyword) ? list(keyword) : List.of()) {
            if (!(element instanceof String text)) {
                throw refusal(at(keyword), "is not an array of strings");
            }
            texts.add(text);
        }
        return texts;
    }

    Map<?, ?> map(String keyword) {
        if (!has(keyword)) {
            return Map.of();
        }
        if (get(keyword) instanceof Map<?, ?> map) {
            return map;
        }
        throw refusal(at(keyword), "is not an object");
    }

    UsageException refusal(String where, String problem) {
        return new UsageException(
                ErrorCode.BAD_ARGUMENT, source + ": " + where + " " + problem, "Change the schema there.");
    }
}
