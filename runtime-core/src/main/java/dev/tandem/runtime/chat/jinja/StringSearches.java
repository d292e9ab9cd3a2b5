package dev.tandem.runtime.chat.jinja;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Methods of strings that look for something; places are counted in code points. */
final class StringSearches {
    static final Map<String, Method.Body<String>> METHODS = Map.of(
            "startswith", (run, text, a) -> affix(run, "startswith", text, a),
            "endswith", (run, text, a) -> affix(run, "endswith", text, a),
            "find", (run, text, a) -> find(run, "find", text, a),
            "rfind", (run, text, a) -> find(run, "rfind", text, a),
            "index", (run, text, a) -> found(find(run, "index", text, a)),
            "rindex", (run, text, a) -> found(find(run, "rindex", text, a)),
            "count", StringSearches::count);

    private StringSearches() {}

    /** The part of the text that optional bounds leave, and where it begins; negative where there is none. */
    private record Part(String text, long start) {
        static Part of(Run run, String text, Arguments.Bound bound) {
            run.budget().look(text.length());
            if (!bound.hasValue(1) && !bound.hasValue(2)) {
                return new Part(text, 0);
            }
            long size = Values.length(text);
            long start = bound.hasValue(1) ? bound.integer(1) : 0;
            long end = bound.hasValue(2) ? Math.min(size, bound.integer(2)) : size;
            start = start < 0 ? Math.max(0, start + size) : start;
            end = end < 0 ? Math.max(0, end + size) : end;
            if (start > size || start > end) {
                return new Part("", -1);
            }
            int from = text.offsetByCodePoints(0, (int) start);
            return new Part(text.substring(from, text.offsetByCodePoints(from, (int) (end - start))), start);
        }
    }

    private static Object affix(Run run, String function, String text, Arguments arguments) {
        Arguments.Bound bound = arguments.bind(function, 1, "prefix", "start", "end");
        Part part = Part.of(run, text, bound);
        Predicate<String> test = function.equals("startswith") ? part.text()::startsWith : part.text()::endsWith;
        if (!(bound.get(0) instanceof Tuple tuple)) {
            return test.test(bound.text(0)) && part.start() >= 0;
        }
        for (Object item : tuple.items()) {
            if (!(item instanceof String affix)) {
                throw TemplateError.runtime(function + " needs strings, not a " + Values.typeName(item));
            }
            if (test.test(affix) && part.start() >= 0) {
                return true;
            }
        }
        return false;
    }

    private static long find(Run run, String function, String text, Arguments arguments) {
        Arguments.Bound bound = arguments.bind(function, 1, "sub", "start", "end");
        String wanted = bound.text(0);
        Part part = Part.of(run, text, bound);
        int index = function.startsWith("r")
                ? part.text().lastIndexOf(wanted)
                : part.text().indexOf(wanted);
        return index < 0 || part.start() < 0 ? -1 : part.start() + part.text().codePointCount(0, index);
    }

    private static Object found(long index) {
        if (index < 0) {
            throw TemplateError.runtime("the string does not contain what index() looks for");
        }
        return index;
    }

    private static Object count(Run run, String text, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("count", 1, "sub", "start", "end");
        String wanted = bound.text(0);
        Part part = Part.of(run, text, bound);
        if (part.start() < 0) {
            return 0L;
        }
        if (wanted.isEmpty()) {
            return Values.length(part.text()) + 1;
        }
        long count = 0;
        int from = part.text().indexOf(wanted);
        while (from >= 0) {
            count++;
            from = part.text().indexOf(wanted, from + wanted.length());
        }
        return count;
    }

    /** Items of a list or tuple from the first equal one on; used by their {@code index} and {@code count}. */
    static long indexOf(Run run, List<Object> items, Object wanted) {
        for (int i = 0; i < items.size(); i++) {
            if (Comparisons.equal(run, items.get(i), wanted)) {
                return i;
            }
        }
        return -1;
    }
}
