package dev.tandem.runtime.chat.jinja;

import org.jspecify.annotations.Nullable;

/** An object whose attributes may be set from inner scopes. */
final class Namespace implements HasAttributes {
    private final Dict attributes = new Dict();

    void put(String name, Object value) {
        attributes.put(name, value);
    }

    Dict attributes() {
        return attributes;
    }

    @Override
    public @Nullable Object attribute(String name) {
        return attributes.get(name);
    }

    @Override
    public String toString() {
        return "<Namespace>";
    }
}
