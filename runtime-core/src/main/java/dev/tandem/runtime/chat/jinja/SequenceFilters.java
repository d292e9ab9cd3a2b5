package dev.tandem.runtime.chat.jinja;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Filters about sequences and dicts as a whole. */
final class SequenceFilters {
    static final Map<String, Filters.Filter> FILTERS = Map.ofEntries(
            Map.entry("length", Filters.plain("length", (run, value) -> Values.length(value))),
            Map.entry("count", Filters.plain("count", (run, value) -> Values.length(value))),
            Map.entry("list", Filters.plain("list", (run, value) -> new ListValue(Values.iterate(run, value)))),
            Map.entry("items", Filters.plain("items", (run, value) -> items(run, value))),
            Map.entry("first", Filters.plain("first", (run, value) -> first(run, value))),
            Map.entry("last", Filters.plain("last", (run, value) -> last(run, value))),
            Map.entry("reverse", Filters.plain("reverse", (run, value) -> reverse(run, value))),
            Map.entry("join", SequenceFilters::join),
            Map.entry("default", SequenceFilters::otherwise),
            Map.entry("d", SequenceFilters::otherwise),
            Map.entry("attr", (run, value, a) -> {
                Object found =
                        Access.attribute(run, value, a.bind("attr", 1, "name").text(0));
                return value instanceof Dict && !(found instanceof Method) ? Undefined.member(value, "attr") : found;
            }),
            Map.entry("batch", SequenceFilters::batch),
            Map.entry("slice", SequenceFilters::slice),
            Map.entry("random", Filters.plain("random", (run, value) -> {
                throw TemplateError.runtime("random is refused: a prompt must not depend on chance");
            })));

    private SequenceFilters() {}

    private static Object items(Run run, Object value) {
        return switch (value) {
            case Undefined undefined -> new Generator(List.of());
            case Dict dict -> {
                run.budget().elements(dict.size());
                yield new Generator(dict.items());
            }
            default -> throw TemplateError.runtime("items needs a dict, not a " + Values.typeName(value));
        };
    }

    private static Object first(Run run, Object value) {
        Undefined none = new Undefined("there is no first item, the sequence is empty");
        if (value instanceof Generator generator) {
            return generator.takeFirst(none);
        }
        if (value instanceof String text) {
            return text.isEmpty() ? none : Character.toString(text.codePointAt(0));
        }
        List<Object> items = Values.iterate(run, value);
        return items.isEmpty() ? none : items.getFirst();
    }

    private static Object last(Run run, Object value) {
        Undefined none = new Undefined("there is no last item, the sequence is empty");
        if (value instanceof Generator) {
            throw TemplateError.runtime("last cannot be taken of a generator; put the filter list before it");
        }
        if (value instanceof String text) {
            return text.isEmpty() ? none : Character.toString(text.codePointBefore(text.length()));
        }
        List<Object> items = Values.iterate(run, value);
        return items.isEmpty() ? none : items.getLast();
    }

    private static Object reverse(Run run, Object value) {
        if (value instanceof String text) {
            return run.budget().made(new StringBuilder(text).reverse().toString());
        }
        List<Object> items = new ArrayList<>(Values.iterate(run, value));
        Collections.reverse(items);
        return new Generator(items);
    }

    private static Object join(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("join", 0, "d", "attribute");
        List<Object> items = Values.iterate(run, value);
        if (bound.hasValue(1)) {
            AttributePath path = AttributePath.of(bound.get(1));
            List<Object> parts = new ArrayList<>(items.size());
            items.forEach(item -> parts.add(path.of(run, item)));
            items = parts;
        }
        return StringParts.join(run, Text.of(run, bound.get(0, "")), items);
    }

    private static Object otherwise(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("default", 0, "default_value", "boolean");
        boolean missing = value instanceof Undefined || bound.flag(1, false) && !Values.isTrue(value);
        return missing ? bound.get(0, "") : value;
    }

    private static Object batch(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("batch", 1, "linecount", "fill_with");
        long size = bound.integer(0);
        List<Object> batches = new ArrayList<>();
        List<Object> batch = new ArrayList<>();
        for (Object item : Values.iterate(run, value)) {
            if (batch.size() == size) {
                batches.add(new ListValue(batch));
                batch.clear();
            }
            batch.add(item);
        }
        if (!batch.isEmpty()) {
            if (bound.hasValue(1) && batch.size() < size) {
                run.budget().elements(size);
                batch.addAll(Collections.nCopies((int) (size - batch.size()), bound.get(1)));
            }
            batches.add(new ListValue(batch));
        }
        run.budget().elements(batches.size());
        return new Generator(batches);
    }

    private static Object slice(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("slice", 1, "slices", "fill_with");
        List<Object> items = Values.iterate(run, value);
        long slices = bound.integer(0);
        if (slices <= 0) {
            throw TemplateError.runtime("slice needs at least one slice");
        }
        run.budget().elements(slices);
        int size = (int) (items.size() / slices);
        int longer = (int) (items.size() % slices);
        List<Object> result = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < slices; i++) {
            int to = from + size + (i < longer ? 1 : 0);
            List<Object> slice = new ArrayList<>(items.subList(from, to));
            if (bound.hasValue(1) && i >= longer) {
                slice.add(bound.get(1));
            }
            result.add(new ListValue(slice));
            from = to;
        }
        return new Generator(result);
    }
}
