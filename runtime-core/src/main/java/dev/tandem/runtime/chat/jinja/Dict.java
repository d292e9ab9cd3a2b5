package dev.tandem.runtime.chat.jinja;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A mapping in order of insertion, whose keys are equal as Python has it: {@code 1}, {@code 1.0} and {@code true} are
 * one key. Equality of dicts is identity; {@link Comparisons} compares contents.
 */
final class Dict {
    private final LinkedHashMap<Object, Tuple> entries = new LinkedHashMap<>();

    @Nullable
    Object get(Object key) {
        Tuple entry = entries.get(hashed(key));
        return entry == null ? null : entry.items().get(1);
    }

    boolean has(Object key) {
        return entries.containsKey(hashed(key));
    }

    void put(Object key, Object value) {
        Object hashed = hashed(key);
        Tuple before = entries.get(hashed);
        entries.put(hashed, Tuple.of(before == null ? key : before.items().getFirst(), value));
    }

    void putAll(Dict other) {
        other.entries
                .values()
                .forEach(entry -> put(entry.items().get(0), entry.items().get(1)));
    }

    @Nullable
    Object remove(Object key) {
        Tuple entry = entries.remove(hashed(key));
        return entry == null ? null : entry.items().get(1);
    }

    void clear() {
        entries.clear();
    }

    int size() {
        return entries.size();
    }

    /** Pairs of key and value. */
    List<Object> items() {
        return new ArrayList<>(entries.values());
    }

    List<Object> keys() {
        return column(0);
    }

    List<Object> values() {
        return column(1);
    }

    private List<Object> column(int index) {
        List<Object> column = new ArrayList<>(entries.size());
        for (Map.Entry<Object, Tuple> entry : entries.entrySet()) {
            column.add(entry.getValue().items().get(index));
        }
        return column;
    }

    /** An object with Java equality that is equal exactly where Python's keys are. */
    private static Object hashed(Object key) {
        return switch (key) {
            case String text -> text;
            case Boolean flag -> flag ? 1L : 0L;
            case Double real when Numbers.isWhole(real) -> Numbers.truncate(real);
            case Tuple tuple -> {
                List<Object> parts = new ArrayList<>();
                for (Object item : tuple.items()) {
                    if (item instanceof Tuple) {
                        throw TemplateError.runtime("a tuple inside a tuple cannot be a key");
                    }
                    parts.add(hashed(item));
                }
                yield parts;
            }
            case ListValue list -> throw TemplateError.runtime("a list cannot be a key");
            case Dict dict -> throw TemplateError.runtime("a dict cannot be a key");
            default -> key;
        };
    }
}
