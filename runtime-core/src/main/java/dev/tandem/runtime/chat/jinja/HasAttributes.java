package dev.tandem.runtime.chat.jinja;

import org.jspecify.annotations.Nullable;

/** A value with attributes of its own. */
interface HasAttributes {
    /** An attribute's value; null where there is none of this name. */
    @Nullable
    Object attribute(String name);
}
