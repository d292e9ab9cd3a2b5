package dev.tandem.runtime.chat.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Filters that lay text out: widths, indents and line breaks. */
final class LayoutFilters {
    static final Map<String, Filters.Filter> FILTERS = Map.of(
            "center",
                    (run, value, a) -> StringCases.padded(
                            run,
                            "center",
                            Text.of(run, value),
                            a.bind("center", 0, "width").integer(0, 80),
                            " "),
            "indent", LayoutFilters::indent,
            "truncate", LayoutFilters::truncate,
            "wordwrap", LayoutFilters::wordWrap,
            "wordcount", Filters.plain("wordcount", (run, value) -> wordCount(Text.of(run, value))));

    private LayoutFilters() {}

    private static Object indent(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("indent", 0, "width", "first", "blank");
        String indent;
        if (bound.get(0, 4L) instanceof String literal) {
            indent = literal;
        } else {
            long width = Math.max(0, bound.integer(0, 4));
            run.budget().make(width);
            indent = " ".repeat((int) width);
        }
        boolean blank = bound.flag(2, false);
        if (!(value instanceof String text)) {
            throw value instanceof Undefined undefined
                    ? undefined.error()
                    : TemplateError.runtime("indent needs a string, not a " + Values.typeName(value));
        }
        List<Object> lines = StringParts.lines(run, text + "\n", false);
        StringBuilder result = new StringBuilder(bound.flag(1, false) ? indent : "");
        for (int i = 0; i < lines.size(); i++) {
            String line = (String) lines.get(i);
            run.budget().make(indent.length() + line.length() + 1L);
            result.append(i == 0 ? "" : "\n");
            result.append(i > 0 && (blank || !line.isEmpty()) ? indent : "").append(line);
        }
        return run.budget().made(result.toString());
    }

    private static Object truncate(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("truncate", 0, "length", "killwords", "end", "leeway");
        String text = Text.of(run, value);
        String end = bound.text(2, "...");
        long length = bound.integer(0, 255);
        long leeway = bound.hasValue(3) ? bound.integer(3) : 5;
        long room = length - Values.length(end);
        if (room < 0 || leeway < 0) {
            throw TemplateError.runtime(
                    "truncate needs a length of at least that of its end, and a leeway of 0 or more");
        }
        if (Values.length(text) <= Math.min(length, Integer.MAX_VALUE) + Math.min(leeway, Integer.MAX_VALUE)) {
            return text;
        }
        String cut = text.substring(0, text.offsetByCodePoints(0, (int) room));
        int space = bound.flag(1, false) ? -1 : cut.lastIndexOf(' ');
        return run.budget().made((space < 0 ? cut : cut.substring(0, space)) + end);
    }

    private static Object wordCount(String text) {
        long words = 0;
        boolean inWord = false;
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            boolean word = Chars.isWord(text.codePointAt(i));
            words += word && !inWord ? 1 : 0;
            inWord = word;
        }
        return words;
    }

    private static Object wordWrap(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound =
                arguments.bind("wordwrap", 0, "width", "break_long_words", "wrapstring", "break_on_hyphens");
        long width = bound.integer(0, 79);
        if (width <= 0) {
            throw TemplateError.runtime("wordwrap needs a width of 1 or more");
        }
        String text = Text.of(run, value);
        List<Object> lines = new ArrayList<>();
        for (Object line : StringParts.lines(run, text, false)) {
            WordWrap wrap =
                    new WordWrap((int) Math.min(width, Integer.MAX_VALUE), bound.flag(1, true), bound.flag(3, true));
            run.budget().elements(((String) line).length() + 1L);
            List<String> wrapped = wrap.lines((String) line);
            lines.add(StringParts.join(run, wrapString(bound), new ArrayList<>(wrapped)));
        }
        return StringParts.join(run, wrapString(bound), lines);
    }

    private static String wrapString(Arguments.Bound bound) {
        return bound.hasValue(2) ? bound.text(2) : "\n";
    }
}
