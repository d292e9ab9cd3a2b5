package dev.tandem.runtime.chat.jinja;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Attributes, elements and slices. */
final class Access {
    private Access() {}

    /** {@code owner.name}: an attribute or method, else the element of that key. */
    static Object attribute(Run run, Object owner, String name) {
        if (owner instanceof Undefined undefined) {
            throw undefined.error();
        }
        run.look(owner);
        Object found = ownAttribute(run, owner, name);
        if (found == null) {
            found = element(owner, name);
        }
        return found == null ? Undefined.member(owner, name) : found;
    }

    /** {@code owner[key]}: the element of that key, else an attribute or method. */
    static Object item(Run run, Object owner, Object key) {
        if (owner instanceof Undefined undefined) {
            throw undefined.error();
        }
        run.look(owner);
        Object found = element(owner, key);
        if (found == null && key instanceof String name) {
            found = ownAttribute(run, owner, name);
        }
        return found == null ? Undefined.member(owner, key) : found;
    }

    private static @Nullable Object ownAttribute(Run run, Object owner, String name) {
        return switch (owner) {
            case HasAttributes object when object.attribute(name) != null -> object.attribute(name);
            case String text when StringMethods.has(name) -> new Method(run, text, name, StringMethods.find(name));
            default -> {
                Method.Body<?> body = CollectionMethods.find(owner, name);
                yield body == null ? null : new Method(run, owner, name, body);
            }
        };
    }

    private static @Nullable Object element(Object owner, Object key) {
        if (owner instanceof Dict dict) {
            return key instanceof ListValue || key instanceof Dict ? null : dict.get(key);
        }
        if (!Numbers.isInteger(key)) {
            return null;
        }
        long index = Numbers.small(key);
        return switch (owner) {
            case String text -> character(text, index);
            case ListValue list -> at(list.items(), index);
            case Tuple tuple -> at(tuple.items(), index);
            case Range range -> {
                long from0 = index < 0 ? index + range.size() : index;
                yield from0 < 0 || from0 >= range.size() ? null : range.at((int) from0);
            }
            default -> null;
        };
    }

    private static @Nullable Object at(List<Object> items, long index) {
        long from0 = index < 0 ? index + items.size() : index;
        return from0 < 0 || from0 >= items.size() ? null : items.get((int) from0);
    }

    private static @Nullable String character(String text, long index) {
        long length = Values.length(text);
        long from0 = index < 0 ? index + length : index;
        if (from0 < 0 || from0 >= length) {
            return null;
        }
        int start = text.offsetByCodePoints(0, (int) from0);
        return Character.toString(text.codePointAt(start));
    }

    /** {@code owner[from:to:step]}, where each bound may be none. */
    static Object slice(Run run, Object owner, Object from, Object to, Object step) {
        if (owner instanceof Undefined undefined) {
            throw undefined.error();
        }
        long by = step == None.NONE ? 1 : Numbers.small(step);
        if (by == 0) {
            throw TemplateError.runtime("a slice needs a step other than 0");
        }
        return switch (owner) {
            case String text -> text(run, text, from, to, by);
            case ListValue list -> new ListValue(items(run, list.items(), from, to, by));
            case Tuple tuple -> new Tuple(items(run, tuple.items(), from, to, by));
            case Range range -> new ListValue(items(run, range.items(), from, to, by));
            default -> throw TemplateError.runtime("a value of type " + Values.typeName(owner) + " cannot be sliced");
        };
    }

    private static String text(Run run, String text, Object from, Object to, long step) {
        int size = (int) Values.length(text);
        int start = bound(from, size, step, step > 0 ? 0 : size - 1);
        int stop = bound(to, size, step, step > 0 ? size : -1);
        run.budget().look(text.length());
        if (step == 1) {
            int begin = text.offsetByCodePoints(0, Math.min(start, size));
            int end = start >= stop ? begin : text.offsetByCodePoints(begin, stop - start);
            return run.budget().made(text.substring(begin, end));
        }
        run.budget().make(text.length());
        int[] points = text.codePoints().toArray();
        StringBuilder result = new StringBuilder();
        for (long i = start; step > 0 ? i < stop : i > stop; i += step) {
            result.appendCodePoint(points[(int) i]);
        }
        return result.toString();
    }

    private static List<Object> items(Run run, List<Object> items, Object from, Object to, long step) {
        int size = items.size();
        int start = bound(from, size, step, step > 0 ? 0 : size - 1);
        int stop = bound(to, size, step, step > 0 ? size : -1);
        run.budget().elements(size);
        List<Object> result = new ArrayList<>();
        for (long i = start; step > 0 ? i < stop : i > stop; i += step) {
            result.add(items.get((int) i));
        }
        return result;
    }

    /** A bound within what exists; beyond the end by one where the step goes backwards. */
    private static int bound(Object given, int size, long step, int otherwise) {
        if (given == None.NONE) {
            return otherwise;
        }
        long index = Numbers.small(given);
        if (index < 0) {
            index = Math.max(index, -size - 1L) + size;
        }
        return step > 0 ? Math.clamp(index, 0, size) : Math.clamp(index, -1, size - 1);
    }
}
