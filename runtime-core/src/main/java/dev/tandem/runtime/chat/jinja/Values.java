package dev.tandem.runtime.chat.jinja;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What all values have in common: a type, a truth, and where it makes sense a size and elements. */
final class Values {
    private static final int MOST_DEPTH = 200;

    private Values() {}

    /**
     * The value for a Java object: null, text, flag, number, list or map, nested at will.
     *
     * @throws IllegalArgumentException where it is none of these, or nested too deeply
     */
    static Object of(@Nullable Object object) {
        return of(object, 0);
    }

    private static Object of(@Nullable Object object, int depth) {
        if (depth > MOST_DEPTH) {
            throw new IllegalArgumentException("a value is nested more than " + MOST_DEPTH + " levels deep");
        }
        return switch (object) {
            case null -> None.NONE;
            case String text -> text;
            case Boolean flag -> flag;
            case Double real -> real;
            case Float real -> (double) real;
            case BigInteger integer -> Numbers.integer(integer);
            case ListValue list -> list;
            case Dict dict -> dict;
            case None none -> none;
            case BigDecimal real -> real.doubleValue();
            case Number number -> number.longValue();
            case Collection<?> items -> {
                List<Object> values = new ArrayList<>(items.size());
                items.forEach(item -> values.add(of(item, depth + 1)));
                yield new ListValue(values);
            }
            case Map<?, ?> map -> {
                Dict dict = new Dict();
                map.forEach((key, value) -> dict.put(of(key, depth + 1), of(value, depth + 1)));
                yield dict;
            }
            default -> throw new IllegalArgumentException("no value of a template: " + object.getClass());
        };
    }

    static String typeName(Object value) {
        return switch (value) {
            case String text -> "str";
            case Boolean flag -> "bool";
            case Long integer -> "int";
            case BigInteger integer -> "int";
            case Double real -> "float";
            case None none -> "NoneType";
            case ListValue list -> "list";
            case Tuple tuple -> "tuple";
            case Dict dict -> "dict";
            case View view -> view.name();
            case Generator generator -> "generator";
            case Range range -> "range";
            default -> value.getClass().getSimpleName();
        };
    }

    static boolean isTrue(Object value) {
        return switch (value) {
            case Boolean flag -> flag;
            case String text -> !text.isEmpty();
            case Long integer -> integer != 0;
            case Double real -> real != 0;
            case None none -> false;
            case Undefined undefined -> false;
            case ListValue list -> !list.items().isEmpty();
            case Tuple tuple -> !tuple.items().isEmpty();
            case Dict dict -> dict.size() > 0;
            case View view -> !view.items().isEmpty();
            case Range range -> range.size() > 0;
            default -> true;
        };
    }

    /** The elements; iterating over a dict gives its keys, over a string its characters. */
    static List<Object> iterate(Run run, Object value) {
        List<Object> items = switch (value) {
            case ListValue list -> List.copyOf(list.items());
            case Tuple tuple -> tuple.items();
            case Dict dict -> dict.keys();
            case View view -> view.items();
            case Range range -> range.items();
            case Generator generator -> generator.take();
            case Undefined undefined -> List.of();
            case String text -> {
                run.budget().elements(text.length());
                yield characters(text);
            }
            default -> throw TemplateError.runtime("a value of type " + typeName(value) + " cannot be iterated");
        };
        run.budget().look(items.size());
        run.budget().elements(items.size());
        return items;
    }

    private static List<Object> characters(String text) {
        List<Object> characters = new ArrayList<>(text.length());
        text.codePoints().forEach(c -> characters.add(Character.toString(c)));
        return characters;
    }

    static boolean isIterable(Object value) {
        return value instanceof Undefined
                || value instanceof String
                || value instanceof Generator
                || value instanceof View
                || value instanceof Dict
                || isIndexed(value);
    }

    /** Whether elements are reached by whole numbers. */
    static boolean isIndexed(Object value) {
        return value instanceof ListValue || value instanceof Tuple || value instanceof Range;
    }

    /** The number of elements or characters. */
    static long length(Object value) {
        return switch (value) {
            case String text -> text.codePointCount(0, text.length());
            case ListValue list -> list.items().size();
            case Tuple tuple -> tuple.items().size();
            case Dict dict -> dict.size();
            case View view -> view.items().size();
            case Range range -> range.size();
            case Undefined undefined -> 0;
            case LoopState loop -> loop.length();
            // Python refuses it, but templates exist that rely on interpreters without generators.
            case Generator generator -> generator.size();
            default -> throw TemplateError.runtime("a value of type " + typeName(value) + " has no length");
        };
    }
}
