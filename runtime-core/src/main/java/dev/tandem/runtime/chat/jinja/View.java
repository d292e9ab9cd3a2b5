package dev.tandem.runtime.chat.jinja;

import java.util.List;

/** What can be counted and iterated over, but not indexed: the keys, values or items of a dict. */
final class View {
    private final String name;
    private final List<Object> items;

    View(String name, List<Object> items) {
        this.name = name;
        this.items = items;
    }

    /** What it is called, such as {@code dict_keys}. */
    String name() {
        return name;
    }

    List<Object> items() {
        return items;
    }
}
