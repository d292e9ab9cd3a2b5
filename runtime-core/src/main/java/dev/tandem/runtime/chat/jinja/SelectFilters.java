package dev.tandem.runtime.chat.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Filters that choose, order, group or change the items of a sequence. */
final class SelectFilters {
    static final Map<String, Filters.Filter> FILTERS = Map.ofEntries(
            Map.entry("select", (run, value, a) -> select(run, value, a, false, true)),
            Map.entry("reject", (run, value, a) -> select(run, value, a, false, false)),
            Map.entry("selectattr", (run, value, a) -> select(run, value, a, true, true)),
            Map.entry("rejectattr", (run, value, a) -> select(run, value, a, true, false)),
            Map.entry("map", SelectFilters::map),
            Map.entry("sort", SelectFilters::sort),
            Map.entry("dictsort", SelectFilters::dictSort),
            Map.entry("groupby", SelectFilters::groupBy),
            Map.entry("unique", SelectFilters::unique),
            Map.entry("min", (run, value, a) -> extreme(run, "min", value, a)),
            Map.entry("max", (run, value, a) -> extreme(run, "max", value, a)),
            Map.entry("sum", SelectFilters::sum));

    private SelectFilters() {}

    private static Object select(Run run, Object value, Arguments arguments, boolean byAttribute, boolean wanted) {
        Arguments rest = arguments;
        UnaryOperator<Object> look = item -> item;
        if (byAttribute) {
            AttributePath path = AttributePath.of(first(arguments, "the name of an attribute"));
            look = item -> path.of(run, item);
            rest = arguments.rest();
        }
        Tests.Test test = (r, item, a) -> Values.isTrue(item);
        Arguments testArguments = rest;
        if (!rest.positional().isEmpty()) {
            test = Tests.find(name(rest.positional().getFirst(), "test"));
            testArguments = rest.rest();
        }
        List<Object> chosen = new ArrayList<>();
        for (Object item : itemsOf(run, value)) {
            run.budget().step();
            if (test.test(run, look.apply(item), testArguments) == wanted) {
                chosen.add(item);
            }
        }
        return new Generator(chosen);
    }

    /** The items of a value; none of a value that is false, even where it could not be iterated over. */
    private static List<Object> itemsOf(Run run, Object value) {
        return Values.isTrue(value) ? Values.iterate(run, value) : List.of();
    }

    private static Object first(Arguments arguments, String what) {
        if (arguments.positional().isEmpty()) {
            throw TemplateError.runtime("the filter needs " + what);
        }
        return arguments.positional().getFirst();
    }

    private static String name(Object value, String what) {
        if (value instanceof String name) {
            return name;
        }
        throw TemplateError.runtime("the name of a " + what + " is a string, not a " + Values.typeName(value));
    }

    private static Object map(Run run, Object value, Arguments arguments) {
        UnaryOperator<Object> change;
        if (arguments.positional().isEmpty()) {
            Arguments.Bound bound = arguments.bind("map", 0, "attribute", "default");
            if (!bound.has(0)) {
                throw TemplateError.runtime("map needs the name of a filter, or an attribute");
            }
            AttributePath path = AttributePath.of(bound.get(0));
            change = item -> {
                Object found = path.of(run, item);
                return found instanceof Undefined && bound.has(1) ? bound.get(1) : found;
            };
        } else {
            Filters.Filter filter = Filters.find(name(first(arguments, "the name of a filter"), "filter"));
            Arguments rest = arguments.rest();
            change = item -> filter.apply(run, item, rest);
        }
        List<Object> changed = new ArrayList<>();
        run.budget().enter();
        for (Object item : itemsOf(run, value)) {
            run.budget().step();
            run.look(item);
            changed.add(change.apply(item));
        }
        run.budget().leave();
        return new Generator(changed);
    }

    /** What items are compared by: themselves, or attributes; strings without regard to case unless asked. */
    private static UnaryOperator<Object> key(Run run, Object attribute, boolean caseSensitive) {
        if (attribute == None.NONE) {
            return item -> folded(run, item, caseSensitive);
        }
        if (attribute instanceof String several && several.contains(",")) {
            List<AttributePath> paths = new ArrayList<>();
            for (String one : several.split(",", -1)) {
                paths.add(AttributePath.of(one));
            }
            return item -> {
                List<Object> parts = new ArrayList<>();
                paths.forEach(path -> parts.add(folded(run, path.of(run, item), caseSensitive)));
                run.budget().elements(parts.size());
                return new ListValue(parts);
            };
        }
        AttributePath path = AttributePath.of(attribute);
        return item -> folded(run, path.of(run, item), caseSensitive);
    }

    private static Object folded(Run run, Object value, boolean caseSensitive) {
        return value instanceof String text && !caseSensitive
                ? run.budget().made(text.toLowerCase(Locale.ROOT))
                : value;
    }

    private static Object sort(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("sort", 0, "reverse", "case_sensitive", "attribute");
        UnaryOperator<Object> key = key(run, bound.get(2, None.NONE), bound.flag(1, false));
        return new ListValue(Comparisons.sorted(run, Values.iterate(run, value), key, bound.flag(0, false)));
    }

    private static Object dictSort(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("dictsort", 0, "case_sensitive", "by", "reverse");
        String by = bound.text(1, "key");
        if (!by.equals("key") && !by.equals("value")) {
            throw TemplateError.runtime("dictsort sorts by 'key' or 'value'");
        }
        if (!(value instanceof Dict dict)) {
            throw value instanceof Undefined undefined
                    ? undefined.error()
                    : TemplateError.runtime("dictsort needs a dict, not a " + Values.typeName(value));
        }
        UnaryOperator<Object> key = key(run, by.equals("key") ? 0L : 1L, bound.flag(0, false));
        return new ListValue(Comparisons.sorted(run, dict.items(), key, bound.flag(2, false)));
    }

    private static Object groupBy(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("groupby", 1, "attribute", "default", "case_sensitive");
        AttributePath path = AttributePath.of(bound.get(0));
        UnaryOperator<Object> plain = item -> {
            Object found = path.of(run, item);
            return found instanceof Undefined && bound.hasValue(1) ? bound.get(1) : found;
        };
        UnaryOperator<Object> key = item -> folded(run, plain.apply(item), bound.flag(2, false));
        List<Object> groups = new ArrayList<>();
        List<Object> group = new ArrayList<>();
        Object current = None.NONE;
        Object shown = None.NONE;
        for (Object item : Comparisons.sorted(run, Values.iterate(run, value), key, false)) {
            Object next = key.apply(item);
            if (group.isEmpty() || !Comparisons.equal(run, current, next)) {
                addGroup(shown, group, groups);
                group = new ArrayList<>();
                current = next;
                shown = plain.apply(item);
            }
            group.add(item);
        }
        addGroup(shown, group, groups);
        return new ListValue(groups);
    }

    private static void addGroup(Object key, List<Object> group, List<Object> groups) {
        if (!group.isEmpty()) {
            groups.add(new Tuple(List.of(key, new ListValue(group)), List.of("grouper", "list")));
        }
    }

    private static Object unique(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("unique", 0, "case_sensitive", "attribute");
        UnaryOperator<Object> key = key(run, bound.get(1, None.NONE), bound.flag(0, false));
        Dict seen = new Dict();
        List<Object> unique = new ArrayList<>();
        for (Object item : Values.iterate(run, value)) {
            Object itemKey = key.apply(item);
            run.budget().elements(1);
            if (!seen.has(itemKey)) {
                seen.put(itemKey, true);
                unique.add(item);
            }
        }
        return new Generator(unique);
    }

    private static Object extreme(Run run, String name, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind(name, 0, "case_sensitive", "attribute");
        UnaryOperator<Object> key = key(run, bound.get(1, None.NONE), bound.flag(0, false));
        List<Object> items = Values.iterate(run, value);
        if (items.isEmpty()) {
            return new Undefined("there is no " + name + " of an empty sequence");
        }
        Object best = items.getFirst();
        Object bestKey = key.apply(best);
        for (Object item : items.subList(1, items.size())) {
            Object itemKey = key.apply(item);
            boolean better = name.equals("min")
                    ? Comparisons.less(run, itemKey, bestKey)
                    : Comparisons.less(run, bestKey, itemKey);
            if (better) {
                best = item;
                bestKey = itemKey;
            }
        }
        return best;
    }

    private static Object sum(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("sum", 0, "attribute", "start");
        Object total = bound.get(1, 0L);
        for (Object item : Values.iterate(run, value)) {
            run.budget().step();
            Object term = bound.hasValue(0) ? AttributePath.of(bound.get(0)).of(run, item) : item;
            total = Arithmetic.binary(run, "+", total, term);
        }
        return total;
    }
}
