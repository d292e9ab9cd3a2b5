package dev.tandem.runtime.chat.jinja;

import java.util.List;

/** What many filters give: can be iterated over once, and is true even when it is empty. */
final class Generator {
    private List<Object> items;

    Generator(List<Object> items) {
        this.items = items;
    }

    /** All items; none the second time. */
    List<Object> take() {
        List<Object> taken = items;
        items = List.of();
        return taken;
    }

    /** How many items are left. */
    int size() {
        return items.size();
    }

    /** The first item, which is gone then. */
    Object takeFirst(Object otherwise) {
        if (items.isEmpty()) {
            return otherwise;
        }
        Object first = items.getFirst();
        items = items.subList(1, items.size());
        return first;
    }

    @Override
    public String toString() {
        return "<generator object>";
    }
}
