package dev.tandem.runtime.chat.jinja;

import java.util.ArrayList;
import java.util.List;

/** A list that a template may change. Equality is identity; {@link Comparisons} compares contents. */
final class ListValue {
    private final ArrayList<Object> items;

    ListValue(List<?> items) {
        this.items = new ArrayList<>(items);
    }

    List<Object> items() {
        return items;
    }
}
