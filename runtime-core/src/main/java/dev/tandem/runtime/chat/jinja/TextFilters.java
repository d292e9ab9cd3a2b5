package dev.tandem.runtime.chat.jinja;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Filters that turn a value into text, or a text into another. */
final class TextFilters {
    static final Map<String, Filters.Filter> FILTERS = Map.ofEntries(
            Map.entry(
                    "string",
                    Filters.plain("string", (run, value) -> run.budget().made(Text.of(run, value)))),
            Map.entry("safe", Filters.plain("safe", (run, value) -> Text.of(run, value))),
            Map.entry(
                    "upper",
                    Filters.plain(
                            "upper",
                            (run, value) ->
                                    run.budget().made(Text.of(run, value).toUpperCase(Locale.ROOT)))),
            Map.entry(
                    "lower",
                    Filters.plain(
                            "lower",
                            (run, value) ->
                                    run.budget().made(Text.of(run, value).toLowerCase(Locale.ROOT)))),
            Map.entry(
                    "capitalize",
                    Filters.plain(
                            "capitalize",
                            (run, value) -> run.budget().made(StringCases.capitalize(Text.of(run, value))))),
            Map.entry(
                    "title", Filters.plain("title", (run, value) -> run.budget().made(title(Text.of(run, value))))),
            Map.entry("trim", (run, value, a) -> {
                Arguments.Bound bound = a.bind("trim", 0, "chars");
                return StringParts.stripped(
                        run, "strip", Text.of(run, value), bound.hasValue(0) ? bound.text(0) : null);
            }),
            Map.entry("replace", TextFilters::replace),
            Map.entry(
                    "format",
                    (run, value, a) -> PercentFormat.format(
                            run, Text.of(run, value), a.named().isEmpty() ? new Tuple(a.positional()) : named(a))),
            Map.entry("escape", TextFilters::escape),
            Map.entry("e", TextFilters::escape),
            Map.entry("forceescape", TextFilters::escape),
            Map.entry("striptags", Filters.plain("striptags", (run, value) -> striptags(run, Text.of(run, value)))),
            Map.entry("urlencode", TextFilters::urlEncode),
            Map.entry("xmlattr", TextFilters::xmlAttributes),
            Map.entry("tojson", JsonWriter::filter),
            Map.entry("from_json", Filters.plain("from_json", (run, value) -> {
                if (value instanceof String text) {
                    return JsonReader.read(run, text);
                }
                throw TemplateError.runtime("from_json needs a string, not a " + Values.typeName(value));
            })),
            Map.entry("pprint", Filters.plain("pprint", (run, value) -> Text.repr(run, value))));

    private TextFilters() {}

    private static Object named(Arguments arguments) {
        if (!arguments.positional().isEmpty()) {
            throw TemplateError.runtime("format takes either values or named values");
        }
        Dict dict = new Dict();
        arguments.named().forEach(dict::put);
        return dict;
    }

    private static String title(String text) {
        StringBuilder result = new StringBuilder(text.length());
        boolean start = true;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            int next = i + Character.charCount(c);
            String one = text.substring(i, next);
            result.append(start ? one.toUpperCase(Locale.ROOT) : one.toLowerCase(Locale.ROOT));
            start = c == '-' || c == '(' || c == '{' || c == '[' || c == '<' || Chars.isSpace(c);
            i = next;
        }
        return result.toString();
    }

    private static Object replace(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("replace", 2, "old", "new", "count");
        return StringParts.replace(
                run,
                Text.of(run, value),
                Text.of(run, bound.get(0)),
                Text.of(run, bound.get(1)),
                bound.hasValue(2) ? bound.integer(2) : -1);
    }

    private static Object escape(Run run, Object value, Arguments arguments) {
        arguments.bind("escape", 0);
        return escaped(run, Text.of(run, value));
    }

    private static String escaped(Run run, String text) {
        StringBuilder result = new StringBuilder();
        run.budget().make(5L * text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> result.append("&amp;");
                case '<' -> result.append("&lt;");
                case '>' -> result.append("&gt;");
                case '"' -> result.append("&#34;");
                case '\'' -> result.append("&#39;");
                default -> result.append(c);
            }
        }
        return result.toString();
    }

    private static Object striptags(Run run, String text) {
        StringBuilder result = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            int open = text.indexOf('<', at);
            boolean comment = open >= 0 && text.startsWith("<!--", open);
            int close = open < 0 ? -1 : comment ? text.indexOf("-->", open) : text.indexOf('>', open);
            if (close < 0) {
                break;
            }
            result.append(text, at, open);
            at = close + (comment ? 3 : 1);
        }
        result.append(text, at, text.length());
        List<Object> words = new ArrayList<>();
        for (String word : result.toString().split("\\s+")) {
            if (!word.isEmpty()) {
                words.add(word);
            }
        }
        run.budget().elements(words.size());
        return unescaped(StringParts.join(run, " ", words));
    }

    private static String unescaped(String text) {
        return text.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&#34;", "\"")
                .replace("&#39;", "'")
                .replace("&amp;", "&");
    }

    private static Object urlEncode(Run run, Object value, Arguments arguments) {
        arguments.bind("urlencode", 0);
        if (value instanceof String text) {
            return quoted(run, text, "/");
        }
        Dict dict = value instanceof Dict given ? given : null;
        List<Object> pairs = dict != null ? dict.items() : Values.isIterable(value) ? Values.iterate(run, value) : null;
        if (pairs == null) {
            return quoted(run, Text.of(run, value), "/");
        }
        List<Object> parts = new ArrayList<>();
        for (Object pair : pairs) {
            List<Object> both = Values.iterate(run, pair);
            if (both.size() != 2) {
                throw TemplateError.runtime("urlencode needs pairs");
            }
            parts.add(form(run, both.get(0)) + "=" + form(run, both.get(1)));
        }
        return StringParts.join(run, "&", parts);
    }

    private static String form(Run run, Object value) {
        return quoted(run, Text.of(run, value), "").replace("%20", "+");
    }

    private static String quoted(Run run, String text, String kept) {
        run.budget().make(9L * text.length());
        StringBuilder result = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            boolean plain = b > 0 && (Character.isLetterOrDigit(b) || "_.-~".indexOf(b) >= 0 || kept.indexOf(b) >= 0);
            if (plain) {
                result.append((char) b);
            } else {
                result.append('%')
                        .append(Character.toUpperCase(Character.forDigit(b >> 4 & 15, 16)))
                        .append(Character.toUpperCase(Character.forDigit(b & 15, 16)));
            }
        }
        return result.toString();
    }

    private static Object xmlAttributes(Run run, Object value, Arguments arguments) {
        boolean space = arguments.bind("xmlattr", 0, "autospace").flag(0, true);
        if (!(value instanceof Dict dict)) {
            throw TemplateError.runtime("xmlattr needs a dict, not a " + Values.typeName(value));
        }
        List<Object> parts = new ArrayList<>();
        for (Object entry : dict.items()) {
            List<Object> pair = ((Tuple) entry).items();
            String key = Text.of(run, pair.get(0));
            if (key.chars().anyMatch(c -> Chars.isSpace(c) || c == '/' || c == '>' || c == '=')) {
                throw TemplateError.runtime("xmlattr got a key with a character that no attribute may have");
            }
            if (pair.get(1) != None.NONE && !(pair.get(1) instanceof Undefined)) {
                parts.add(escaped(run, key) + "=\"" + escaped(run, Text.of(run, pair.get(1))) + "\"");
            }
        }
        String joined = StringParts.join(run, " ", parts);
        return space && !joined.isEmpty() ? " " + joined : joined;
    }
}
