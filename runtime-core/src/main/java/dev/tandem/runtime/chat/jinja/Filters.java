package dev.tandem.runtime.chat.jinja;

import java.util.HashMap;
import java.util.Map;

/** All filters, by name. */
final class Filters {
    private static final Map<String, Filter> ALL = new HashMap<>();

    static {
        ALL.putAll(TextFilters.FILTERS);
        ALL.putAll(LayoutFilters.FILTERS);
        ALL.putAll(NumberFilters.FILTERS);
        ALL.putAll(SequenceFilters.FILTERS);
        ALL.putAll(SelectFilters.FILTERS);
    }

    private Filters() {}

    /** What a filter does to the value before it. */
    @FunctionalInterface
    interface Filter {
        Object apply(Run run, Object value, Arguments arguments);
    }

    /** A filter that takes no arguments. */
    static Filter plain(String name, PlainFilter filter) {
        return (run, value, arguments) -> {
            arguments.bind(name, 0);
            return filter.apply(run, value);
        };
    }

    /** What a filter without arguments does. */
    @FunctionalInterface
    interface PlainFilter {
        Object apply(Run run, Object value);
    }

    static boolean has(String name) {
        return ALL.containsKey(name);
    }

    static Filter find(String name) {
        Filter filter = ALL.get(name);
        if (filter == null) {
            throw TemplateError.runtime("there is no filter '" + name + "'");
        }
        return filter;
    }
}
