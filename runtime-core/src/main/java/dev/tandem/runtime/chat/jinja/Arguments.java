package dev.tandem.runtime.chat.jinja;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a call passes.
 *
 * @param positional in order
 * @param named by keyword, in order
 */
record Arguments(List<Object> positional, Map<String, Object> named) {
    static final Arguments NONE = new Arguments(List.of(), Map.of());

    /** Without the first argument. */
    Arguments rest() {
        return new Arguments(positional.subList(1, positional.size()), named);
    }

    /** With one more in front. */
    Arguments after(Object first) {
        List<Object> all = new ArrayList<>(List.of(first));
        all.addAll(positional);
        return new Arguments(all, named);
    }

    /** Without the keyword argument; see {@link #named} for its value. */
    Arguments without(String keyword) {
        Map<String, Object> others = new LinkedHashMap<>(named);
        others.remove(keyword);
        return new Arguments(positional, others);
    }

    /**
     * Matches arguments to parameters.
     *
     * @param function what is called, for messages
     * @param required how many parameters, from the first, need an argument
     * @param parameters their names
     */
    Bound bind(String function, int required, String... parameters) {
        if (positional.size() > parameters.length) {
            throw TemplateError.runtime(
                    function + " takes at most " + parameters.length + " arguments, not " + positional.size());
        }
        @Nullable Object[] values = new Object[parameters.length];
        Set<String> unknown = new HashSet<>(named.keySet());
        for (int i = 0; i < values.length; i++) {
            Object byName = named.get(parameters[i]);
            unknown.remove(parameters[i]);
            if (byName != null && i < positional.size()) {
                throw TemplateError.runtime(function + " got its argument '" + parameters[i] + "' twice");
            }
            values[i] = i < positional.size() ? positional.get(i) : byName;
            if (values[i] == null && i < required) {
                throw TemplateError.runtime(function + " needs an argument '" + parameters[i] + "'");
            }
        }
        if (!unknown.isEmpty()) {
            throw TemplateError.runtime(
                    function + " takes no argument '" + unknown.iterator().next() + "'");
        }
        return new Bound(function, parameters, values);
    }

    /** Arguments by the index of their parameter. */
    static final class Bound {
        private final String function;
        private final String[] parameters;
        private final @Nullable Object[] values;

        private Bound(String function, String[] parameters, @Nullable Object[] values) {
            this.function = function;
            this.parameters = parameters;
            this.values = values;
        }

        boolean has(int index) {
            return values[index] != null;
        }

        /** Whether an argument was given that is not none. */
        boolean hasValue(int index) {
            return values[index] != null && values[index] != None.NONE;
        }

        Object get(int index) {
            Object value = values[index];
            if (value == null) {
                throw new IllegalStateException("no argument " + index);
            }
            return value;
        }

        Object get(int index, Object otherwise) {
            Object value = values[index];
            return value == null ? otherwise : value;
        }

        String text(int index) {
            Object value = get(index);
            if (value instanceof String text) {
                return text;
            }
            throw value instanceof Undefined undefined ? undefined.error() : wrongType(index, "a string");
        }

        String text(int index, String otherwise) {
            return has(index) ? text(index) : otherwise;
        }

        long integer(int index) {
            Object value = get(index);
            if (value instanceof Undefined undefined) {
                throw undefined.error();
            }
            if (!Numbers.isInteger(value)) {
                throw wrongType(index, "a whole number");
            }
            return Numbers.small(value);
        }

        long integer(int index, long otherwise) {
            return has(index) ? integer(index) : otherwise;
        }

        boolean flag(int index, boolean otherwise) {
            return has(index) ? Values.isTrue(get(index)) : otherwise;
        }

        private TemplateError wrongType(int index, String wanted) {
            return TemplateError.runtime(function + " needs " + wanted + " as '" + parameters[index] + "', not a "
                    + Values.typeName(get(index)));
        }
    }
}
