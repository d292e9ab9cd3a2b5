package dev.tandem.runtime.chat.jinja;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Values as JSON, the way Python's {@code json.dumps} writes them. */
final class JsonWriter {
    private final Run run;
    private final Style style;
    private final StringBuilder text = new StringBuilder();

    /**
     * How JSON is written.
     *
     * @param ascii whether other characters are escaped
     * @param indented whether each element stands on a line of its own
     * @param indent what a level is indented by
     * @param itemSeparator between elements
     * @param keySeparator between key and value
     * @param sorted whether keys are sorted
     */
    record Style(
            boolean ascii,
            boolean indented,
            String indent,
            String itemSeparator,
            String keySeparator,
            boolean sorted) {}

    private JsonWriter(Run run, Style style) {
        this.run = run;
        this.style = style;
    }

    static String write(Run run, Object value, Style style) {
        JsonWriter writer = new JsonWriter(run, style);
        writer.value(value, 1);
        return writer.text.toString();
    }

    private void value(Object value, int level) {
        run.budget().enter();
        int before = text.length();
        switch (value) {
            case String string -> string(string);
            case Boolean flag -> text.append(flag ? "true" : "false");
            case None none -> text.append("null");
            case Double real -> text.append(real(real));
            case ListValue list -> list(list.items(), level);
            case Tuple tuple -> list(tuple.items(), level);
            case Dict dict -> dict(dict, level);
            // Python refuses it, but templates exist that rely on interpreters without generators.
            case Generator generator -> list(generator.take(), level);
            default -> {
                if (!Numbers.isInteger(value)) {
                    throw value instanceof Undefined undefined
                            ? TemplateError.runtime("undefined is no JSON: " + undefined.problem())
                            : TemplateError.runtime("a value of type " + Values.typeName(value) + " is no JSON");
                }
                text.append(value);
            }
        }
        boolean container = !(value instanceof String) && !Numbers.isNumber(value);
        run.budget().make(container ? 2 : text.length() - before);
        run.budget().leave();
    }

    private static String real(double real) {
        if (Double.isNaN(real)) {
            return "NaN";
        }
        return Double.isInfinite(real) ? real < 0 ? "-Infinity" : "Infinity" : Text.of(real);
    }

    private void list(List<Object> items, int level) {
        text.append('[');
        Iterator<Object> all = items.iterator();
        boolean any = all.hasNext();
        while (all.hasNext()) {
            newLine(level);
            value(all.next(), level + 1);
            text.append(all.hasNext() ? style.itemSeparator() : "");
        }
        close(any, ']', level);
    }

    private void dict(Dict dict, int level) {
        text.append('{');
        List<Object> entries = dict.items();
        if (style.sorted()) {
            entries = Comparisons.sorted(
                    run, entries, entry -> ((Tuple) entry).items().getFirst(), false);
        }
        Iterator<Object> all = entries.iterator();
        boolean any = all.hasNext();
        while (all.hasNext()) {
            List<Object> pair = ((Tuple) all.next()).items();
            newLine(level);
            string(key(pair.get(0)));
            text.append(style.keySeparator());
            value(pair.get(1), level + 1);
            text.append(all.hasNext() ? style.itemSeparator() : "");
        }
        close(any, '}', level);
    }

    private void newLine(int level) {
        if (style.indented()) {
            run.budget().make((long) level * style.indent().length() + 1);
            text.append('\n').repeat(style.indent(), level);
        }
    }

    private void close(boolean any, char bracket, int level) {
        if (any) {
            newLine(level - 1);
        }
        text.append(bracket);
    }

    private static String key(Object key) {
        return switch (key) {
            case String string -> string;
            case Boolean flag -> flag ? "true" : "false";
            case None none -> "null";
            case Double real -> real(real);
            default -> {
                if (!Numbers.isInteger(key)) {
                    throw TemplateError.runtime("a key of type " + Values.typeName(key) + " is no JSON");
                }
                yield key.toString();
            }
        };
    }

    private void string(String string) {
        run.budget().make(string.length());
        text.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            switch (c) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                case '\f' -> text.append("\\f");
                case '\b' -> text.append("\\b");
                default -> {
                    if (c < ' ' || style.ascii() && c > '~') {
                        String hex = Integer.toHexString(c);
                        text.append("\\u").repeat('0', 4 - hex.length()).append(hex);
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        text.append('"');
    }

    /** The {@code tojson} filter: keys keep their order, and only what must be is escaped. */
    static Object filter(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("tojson", 0, "ensure_ascii", "indent", "separators", "sort_keys");
        boolean indented = bound.hasValue(1);
        String indent = "";
        if (indented) {
            boolean literal = bound.get(1) instanceof String;
            long width = literal ? 0 : Math.max(0, bound.integer(1));
            run.budget().make(width);
            indent = literal ? bound.text(1) : " ".repeat((int) width);
        }
        List<String> separators = new ArrayList<>(List.of(indented ? "," : ", ", ": "));
        if (bound.hasValue(2)) {
            separators.clear();
            for (Object separator : Values.iterate(run, bound.get(2))) {
                separators.add(Text.of(run, separator));
            }
            if (separators.size() != 2) {
                throw TemplateError.runtime("tojson needs two separators");
            }
        }
        return write(
                run,
                value,
                new Style(
                        bound.flag(0, false),
                        indented,
                        indent,
                        separators.get(0),
                        separators.get(1),
                        bound.flag(3, false)));
    }
}
