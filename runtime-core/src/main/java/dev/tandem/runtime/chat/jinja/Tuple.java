package dev.tandem.runtime.chat.jinja;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fixed sequence, perhaps with names for its elements. Equality is identity; {@link Comparisons} compares contents.
 */
final class Tuple implements HasAttributes {
    private final List<Object> items;
    private final List<String> names;

    Tuple(List<Object> items) {
        this(items, List.of());
    }

    Tuple(List<Object> items, List<String> names) {
        this.items = items;
        this.names = names;
    }

    static Tuple of(Object first, Object second) {
        return new Tuple(List.of(first, second));
    }

    List<Object> items() {
        return items;
    }

    @Override
    public @Nullable Object attribute(String name) {
        int index = names.indexOf(name);
        return index < 0 ? null : items.get(index);
    }
}
