package dev.tandem.runtime.chat.jinja;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Methods of strings that take them apart or put them together. */
final class StringParts {
    static final Map<String, Method.Body<String>> METHODS = Map.ofEntries(
            Map.entry("strip", (run, text, a) -> strip(run, "strip", text, a)),
            Map.entry("lstrip", (run, text, a) -> strip(run, "lstrip", text, a)),
            Map.entry("rstrip", (run, text, a) -> strip(run, "rstrip", text, a)),
            Map.entry("split", (run, text, a) -> split(run, "split", text, a)),
            Map.entry("rsplit", (run, text, a) -> split(run, "rsplit", text, a)),
            Map.entry("splitlines", StringParts::splitLines),
            Map.entry("partition", (run, text, a) -> partition(run, "partition", text, a)),
            Map.entry("rpartition", (run, text, a) -> partition(run, "rpartition", text, a)),
            Map.entry("join", (run, text, a) -> join(run, text, a)),
            Map.entry("replace", (run, text, a) -> replace(run, text, a)),
            Map.entry("removeprefix", (run, text, a) -> removePrefix(run, text, a)),
            Map.entry("removesuffix", (run, text, a) -> removeSuffix(run, text, a)),
            Map.entry("expandtabs", (run, text, a) -> expandTabs(run, text, a)));

    private StringParts() {}

    private static String strip(Run run, String function, String text, Arguments arguments) {
        Arguments.Bound bound = arguments.bind(function, 0, "chars");
        return stripped(run, function, text, bound.hasValue(0) ? bound.text(0) : null);
    }

    /** A text without the characters, or without whitespace, at the ends that {@code function} names. */
    static String stripped(Run run, String function, String text, @Nullable String chars) {
        IntPredicate goes = chars == null ? Chars::isSpace : c -> chars.indexOf(c) >= 0;
        run.budget().look(text.length());
        int start = 0;
        int end = text.length();
        while (!function.equals("rstrip") && start < end && goes.test(text.codePointAt(start))) {
            start += Character.charCount(text.codePointAt(start));
        }
        while (!function.equals("lstrip") && end > start && goes.test(text.codePointBefore(end))) {
            end -= Character.charCount(text.codePointBefore(end));
        }
        return run.budget().made(text.substring(start, end));
    }

    private static Object split(Run run, String function, String text, Arguments arguments) {
        Arguments.Bound bound = arguments.bind(function, 0, "sep", "maxsplit");
        long most = bound.integer(1, -1);
        long limit = most < 0 ? Long.MAX_VALUE : most;
        boolean backwards = function.equals("rsplit");
        List<Object> parts = bound.hasValue(0)
                ? bySeparator(run, text, separator(bound.text(0)), limit, backwards)
                : byWhitespace(run, text, limit, backwards);
        run.budget().make(text.length());
        run.budget().look(text.length());
        return new ListValue(parts);
    }

    private static String separator(String separator) {
        if (separator.isEmpty()) {
            throw TemplateError.runtime("the separator is empty");
        }
        return separator;
    }

    private static List<Object> bySeparator(Run run, String text, String separator, long limit, boolean backwards) {
        List<Object> parts = new ArrayList<>();
        int from = 0;
        int to = text.length();
        while (parts.size() < limit) {
            int found = backwards ? lastBefore(text, separator, to) : text.indexOf(separator, from);
            if (found < 0) {
                break;
            }
            run.budget().elements(1);
            if (backwards) {
                parts.add(text.substring(found + separator.length(), to));
                to = found;
            } else {
                parts.add(text.substring(from, found));
                from = found + separator.length();
            }
        }
        parts.add(text.substring(from, to));
        if (backwards) {
            Collections.reverse(parts);
        }
        return parts;
    }

    private static int lastBefore(String text, String separator, int end) {
        return end < separator.length() ? -1 : text.lastIndexOf(separator, end - separator.length());
    }

    private static List<Object> byWhitespace(Run run, String text, long limit, boolean backwards) {
        List<Object> parts = new ArrayList<>();
        String rest = stripped(run, "strip", text, null);
        int from = 0;
        int to = rest.length();
        while (from < to && parts.size() < limit) {
            int edge = backwards ? wordStart(rest, to) : wordEnd(rest, from);
            run.budget().elements(1);
            parts.add(backwards ? rest.substring(edge, to) : rest.substring(from, edge));
            if (backwards) {
                to = edge;
                while (to > 0 && Chars.isSpace(rest.charAt(to - 1))) {
                    to--;
                }
            } else {
                from = edge;
                while (from < to && Chars.isSpace(rest.charAt(from))) {
                    from++;
                }
            }
        }
        if (from < to) {
            // What is left keeps its outer whitespace, which strip() above has taken away.
            parts.add(backwards ? leading(text) + rest.substring(0, to) : rest.substring(from) + trailing(text));
        }
        if (backwards) {
            Collections.reverse(parts);
        }
        return parts;
    }

    private static String leading(String text) {
        int end = 0;
        while (end < text.length() && Chars.isSpace(text.charAt(end))) {
            end++;
        }
        return text.substring(0, end);
    }

    private static String trailing(String text) {
        int start = text.length();
        while (start > 0 && Chars.isSpace(text.charAt(start - 1))) {
            start--;
        }
        return text.substring(start);
    }

    private static int wordEnd(String text, int from) {
        int end = from;
        while (end < text.length() && !Chars.isSpace(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private static int wordStart(String text, int to) {
        int start = to;
        while (start > 0 && !Chars.isSpace(text.charAt(start - 1))) {
            start--;
        }
        return start;
    }

    private static Object splitLines(Run run, String text, Arguments arguments) {
        boolean keepEnds = arguments.bind("splitlines", 0, "keepends").flag(0, false);
        return new ListValue(lines(run, text, keepEnds));
    }

    /** The lines of a text, with or without the characters that end them. */
    static List<Object> lines(Run run, String text, boolean keepEnds) {
        run.budget().look(text.length());
        run.budget().make(text.length());
        List<Object> lines = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            if (Chars.isLineBreak(text.charAt(i))) {
                int end = i;
                if (text.charAt(i) == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n') {
                    i++;
                }
                run.budget().elements(1);
                lines.add(text.substring(from, keepEnds ? i + 1 : end));
                from = i + 1;
            }
        }
        if (from < text.length()) {
            lines.add(text.substring(from));
        }
        return lines;
    }

    private static Object partition(Run run, String function, String text, Arguments arguments) {
        String separator = separator(arguments.bind(function, 1, "sep").text(0));
        boolean backwards = function.equals("rpartition");
        int found = backwards ? text.lastIndexOf(separator) : text.indexOf(separator);
        run.budget().make(text.length());
        run.budget().look(text.length());
        if (found < 0) {
            return new Tuple(backwards ? List.of("", "", text) : List.of(text, "", ""));
        }
        return new Tuple(List.of(text.substring(0, found), separator, text.substring(found + separator.length())));
    }

    private static Object join(Run run, String text, Arguments arguments) {
        List<Object> items =
                Values.iterate(run, arguments.bind("join", 1, "iterable").get(0));
        for (Object item : items) {
            if (!(item instanceof String)) {
                throw TemplateError.runtime("join needs strings, not a " + Values.typeName(item));
            }
        }
        return join(run, text, items);
    }

    /** The texts of all items with a separator between them. */
    static String join(Run run, String separator, List<Object> items) {
        StringBuilder result = new StringBuilder();
        for (int i = 0; i < items.size(); i++) {
            String item = Text.of(run, items.get(i));
            run.budget().make(item.length() + separator.length());
            run.budget().step();
            result.append(i == 0 ? "" : separator).append(item);
        }
        return run.budget().made(result.toString());
    }

    private static Object replace(Run run, String text, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("replace", 2, "old", "new", "count");
        return replace(run, text, bound.text(0), bound.text(1), bound.integer(2, -1));
    }

    /** A text with the first occurrences replaced; with all of them where the count is negative. */
    static String replace(Run run, String text, String old, String by, long count) {
        StringBuilder result = new StringBuilder();
        int from = 0;
        int search = 0;
        run.budget().look(text.length());
        for (long left = count < 0 ? Long.MAX_VALUE : count; left > 0 && search <= text.length(); left--) {
            int found = text.indexOf(old, search);
            if (found < 0) {
                break;
            }
            run.budget().make(found - from + by.length());
            result.append(text, from, found).append(by);
            from = found + old.length();
            search = from;
            if (old.isEmpty()) {
                search = found < text.length() ? text.offsetByCodePoints(found, 1) : found + 1;
            }
        }
        return run.budget().made(result.append(text, from, text.length()).toString());
    }

    private static Object removePrefix(Run run, String text, Arguments arguments) {
        String prefix = arguments.bind("removeprefix", 1, "prefix").text(0);
        return text.startsWith(prefix) ? run.budget().made(text.substring(prefix.length())) : text;
    }

    private static Object removeSuffix(Run run, String text, Arguments arguments) {
        String suffix = arguments.bind("removesuffix", 1, "suffix").text(0);
        boolean there = !suffix.isEmpty() && text.endsWith(suffix);
        return there ? run.budget().made(text.substring(0, text.length() - suffix.length())) : text;
    }

    private static Object expandTabs(Run run, String text, Arguments arguments) {
        long size = arguments.bind("expandtabs", 0, "tabsize").integer(0, 8);
        StringBuilder result = new StringBuilder();
        long column = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\t') {
                long spaces = size <= 0 ? 0 : size - column % size;
                run.budget().make(spaces);
                result.repeat(' ', (int) spaces);
                column += spaces;
            } else {
                result.append(c);
                column = c == '\n' || c == '\r' ? 0 : Character.isLowSurrogate(c) ? column : column + 1;
            }
        }
        return run.budget().made(result.toString());
    }
}
