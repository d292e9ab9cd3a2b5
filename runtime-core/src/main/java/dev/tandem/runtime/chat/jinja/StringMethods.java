package dev.tandem.runtime.chat.jinja;

import java.util.HashMap;
import java.util.Map;

/** The methods of strings, by name. */
final class StringMethods {
    private static final Map<String, Method.Body<String>> ALL = new HashMap<>();

    static {
        ALL.putAll(StringCases.METHODS);
        ALL.putAll(StringParts.METHODS);
        ALL.putAll(StringSearches.METHODS);
        ALL.put("format", (run, text, arguments) -> BraceFormat.format(run, text, arguments));
    }

    private StringMethods() {}

    static boolean has(String name) {
        return ALL.containsKey(name);
    }

    static Method.Body<String> find(String name) {
        Method.Body<String> body = ALL.get(name);
        if (body == null) {
            throw new IllegalArgumentException("no method " + name);
        }
        return body;
    }
}
