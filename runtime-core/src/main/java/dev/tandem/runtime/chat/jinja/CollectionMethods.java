package dev.tandem.runtime.chat.jinja;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The methods of lists, tuples, dicts and numbers, by name. */
final class CollectionMethods {
    private static final Map<String, Method.Body<ListValue>> LIST = Map.ofEntries(
            Map.entry("append", CollectionMethods::append),
            Map.entry("extend", CollectionMethods::extend),
            Map.entry("insert", CollectionMethods::insert),
            Map.entry("remove", CollectionMethods::remove),
            Map.entry("pop", CollectionMethods::pop),
            Map.entry("clear", (run, list, a) -> {
                list.items().clear();
                return None.NONE;
            }),
            Map.entry("copy", (run, list, a) -> {
                run.budget().elements(list.items().size());
                return new ListValue(list.items());
            }),
            Map.entry("reverse", (run, list, a) -> {
                run.budget().look(list.items().size());
                Collections.reverse(list.items());
                return None.NONE;
            }),
            Map.entry("sort", CollectionMethods::sort),
            Map.entry("index", (run, list, a) -> index(run, list.items(), a)),
            Map.entry("count", (run, list, a) -> count(run, list.items(), a)));

    private static final Map<String, Method.Body<Tuple>> TUPLE = Map.of(
            "index", (run, tuple, a) -> index(run, tuple.items(), a),
            "count", (run, tuple, a) -> count(run, tuple.items(), a));

    private static final Map<String, Method.Body<Dict>> DICT = Map.ofEntries(
            Map.entry("keys", (run, dict, a) -> view(run, "dict_keys", dict.keys())),
            Map.entry("values", (run, dict, a) -> view(run, "dict_values", dict.values())),
            Map.entry("items", (run, dict, a) -> view(run, "dict_items", dict.items())),
            Map.entry("get", (run, dict, a) -> {
                Arguments.Bound bound = a.bind("get", 1, "key", "default");
                Object value = dict.get(bound.get(0));
                return value == null ? bound.get(1, None.NONE) : value;
            }),
            Map.entry("pop", CollectionMethods::popKey),
            Map.entry("popitem", CollectionMethods::popItem),
            Map.entry("setdefault", CollectionMethods::setDefault),
            Map.entry("update", CollectionMethods::update),
            Map.entry("copy", (run, dict, a) -> {
                Dict copy = new Dict();
                run.budget().elements(dict.size());
                copy.putAll(dict);
                return copy;
            }),
            Map.entry("clear", (run, dict, a) -> {
                dict.clear();
                return None.NONE;
            }));

    private static final Map<String, Method.Body<Double>> REAL =
            Map.of("is_integer", (run, real, a) -> Numbers.isWhole(real));

    private CollectionMethods() {}

    /** A method of a value; null where it has none of this name. */
    static Method.@Nullable Body<?> find(Object owner, String name) {
        return switch (owner) {
            case ListValue list -> LIST.get(name);
            case Tuple tuple -> TUPLE.get(name);
            case Dict dict -> DICT.get(name);
            case Double real -> REAL.get(name);
            default -> null;
        };
    }

    private static View view(Run run, String name, List<Object> items) {
        run.budget().elements(items.size());
        return new View(name, items);
    }

    private static Object append(Run run, ListValue list, Arguments arguments) {
        run.budget().elements(1);
        list.items().add(arguments.bind("append", 1, "object").get(0));
        return None.NONE;
    }

    private static Object extend(Run run, ListValue list, Arguments arguments) {
        List<Object> more =
                Values.iterate(run, arguments.bind("extend", 1, "iterable").get(0));
        run.budget().elements(more.size());
        list.items().addAll(more);
        return None.NONE;
    }

    private static Object insert(Run run, ListValue list, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("insert", 2, "index", "object");
        int size = list.items().size();
        long index = bound.integer(0);
        run.budget().elements(1);
        run.budget().look(size);
        list.items().add(Math.clamp(index < 0 ? index + size : index, 0, size), bound.get(1));
        return None.NONE;
    }

    private static Object remove(Run run, ListValue list, Arguments arguments) {
        long index = StringSearches.indexOf(
                run, list.items(), arguments.bind("remove", 1, "value").get(0));
        if (index < 0) {
            throw TemplateError.runtime("the list does not contain what remove() looks for");
        }
        run.budget().look(list.items().size());
        list.items().remove((int) index);
        return None.NONE;
    }

    private static Object pop(Run run, ListValue list, Arguments arguments) {
        int size = list.items().size();
        long index = arguments.bind("pop", 0, "index").integer(0, -1);
        long from0 = index < 0 ? index + size : index;
        if (from0 < 0 || from0 >= size) {
            throw TemplateError.runtime("pop() of element " + index + " from a list of " + size);
        }
        run.budget().look(size);
        return list.items().remove((int) from0);
    }

    private static Object sort(Run run, ListValue list, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("sort", 0, "key", "reverse");
        List<Object> sorted = Comparisons.sorted(run, List.copyOf(list.items()), item -> item, bound.flag(1, false));
        list.items().clear();
        list.items().addAll(sorted);
        return None.NONE;
    }

    private static Object index(Run run, List<Object> items, Arguments arguments) {
        long index = StringSearches.indexOf(
                run, items, arguments.bind("index", 1, "value").get(0));
        if (index < 0) {
            throw TemplateError.runtime("the sequence does not contain what index() looks for");
        }
        return index;
    }

    private static Object count(Run run, List<Object> items, Arguments arguments) {
        Object wanted = arguments.bind("count", 1, "value").get(0);
        long count = 0;
        for (Object item : items) {
            count += Comparisons.equal(run, item, wanted) ? 1 : 0;
        }
        return count;
    }

    private static Object popKey(Run run, Dict dict, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("pop", 1, "key", "default");
        Object value = dict.remove(bound.get(0));
        if (value == null && !bound.has(1)) {
            throw TemplateError.runtime("the dict has no key " + Text.repr(run, bound.get(0)) + " to pop");
        }
        return value == null ? bound.get(1) : value;
    }

    private static Object popItem(Run run, Dict dict, Arguments arguments) {
        arguments.bind("popitem", 0);
        if (dict.size() == 0) {
            throw TemplateError.runtime("popitem() of an empty dict");
        }
        run.budget().look(dict.size());
        Object key = dict.keys().getLast();
        Object value = dict.remove(key);
        return Tuple.of(key, value == null ? None.NONE : value);
    }

    private static Object setDefault(Run run, Dict dict, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("setdefault", 1, "key", "default");
        Object value = dict.get(bound.get(0));
        if (value != null) {
            return value;
        }
        run.budget().elements(2);
        dict.put(bound.get(0), bound.get(1, None.NONE));
        return bound.get(1, None.NONE);
    }

    private static Object update(Run run, Dict dict, Arguments arguments) {
        for (Object source : arguments.positional()) {
            dict.putAll(toDict(run, source));
        }
        run.budget().elements(arguments.named().size());
        arguments.named().forEach(dict::put);
        return None.NONE;
    }

    /** A new dict of a dict's entries, or of pairs. */
    static Dict toDict(Run run, Object source) {
        Dict dict = new Dict();
        if (source instanceof Dict other) {
            run.budget().elements(2L * other.size());
            dict.putAll(other);
            return dict;
        }
        List<Object> pairs = Values.iterate(run, source);
        run.budget().elements(2L * pairs.size());
        for (Object pair : pairs) {
            List<Object> parts = new ArrayList<>(Values.iterate(run, pair));
            if (parts.size() != 2) {
                throw TemplateError.runtime("a dict is made of pairs, not of " + parts.size() + " values");
            }
            dict.put(parts.get(0), parts.get(1));
        }
        return dict;
    }
}
