package dev.tandem.runtime.chat.jinja;

import java.util.Locale;
import java.util.Map;
import java.util.function.IntPredicate;

/** Methods of strings about letters: upper and lower case, classes of characters, and padding. */
final class StringCases {
    static final Map<String, Method.Body<String>> METHODS = Map.ofEntries(
            Map.entry("upper", (run, text, a) -> none("upper", a, run.budget().made(text.toUpperCase(Locale.ROOT)))),
            Map.entry("lower", (run, text, a) -> none("lower", a, run.budget().made(text.toLowerCase(Locale.ROOT)))),
            Map.entry(
                    "casefold",
                    (run, text, a) -> none("casefold", a, run.budget().made(folded(text)))),
            Map.entry(
                    "capitalize",
                    (run, text, a) -> none("capitalize", a, run.budget().made(capitalize(text)))),
            Map.entry("title", (run, text, a) -> none("title", a, run.budget().made(title(text)))),
            Map.entry(
                    "swapcase",
                    (run, text, a) -> none("swapcase", a, run.budget().made(swapped(text)))),
            Map.entry("isalpha", (run, text, a) -> all(run, text, Character::isLetter)),
            Map.entry("isdigit", (run, text, a) -> all(run, text, Character::isDigit)),
            Map.entry("isdecimal", (run, text, a) -> all(run, text, Character::isDigit)),
            Map.entry("isnumeric", (run, text, a) -> all(run, text, StringCases::isNumeric)),
            Map.entry(
                    "isalnum",
                    (run, text, a) -> all(run, text, c -> Character.isLetter(c) || StringCases.isNumeric(c))),
            Map.entry("isspace", (run, text, a) -> all(run, text, Chars::isSpace)),
            Map.entry("isascii", (run, text, a) -> text.isEmpty() || all(run, text, c -> c < 128)),
            Map.entry("isprintable", (run, text, a) -> text.isEmpty() || all(run, text, Chars::isPrintable)),
            Map.entry(
                    "isidentifier",
                    (run, text, a) ->
                            !text.isEmpty() && !Chars.isDigit(text.charAt(0)) && all(run, text, Chars::isWord)),
            Map.entry("islower", (run, text, a) -> isLower(text)),
            Map.entry("isupper", (run, text, a) -> isUpper(text)),
            Map.entry("istitle", (run, text, a) -> isTitle(text)),
            Map.entry("ljust", (run, text, a) -> padded(run, "ljust", text, a)),
            Map.entry("rjust", (run, text, a) -> padded(run, "rjust", text, a)),
            Map.entry("center", (run, text, a) -> padded(run, "center", text, a)),
            Map.entry("zfill", (run, text, a) -> zeroFilled(run, text, a)));

    private StringCases() {}

    private static String none(String function, Arguments arguments, String result) {
        arguments.bind(function, 0);
        return result;
    }

    private static String folded(String text) {
        return text.replace("ß", "ss").toLowerCase(Locale.ROOT);
    }

    private static boolean all(Run run, String text, IntPredicate test) {
        run.budget().look(text.length());
        return !text.isEmpty() && text.codePoints().allMatch(test);
    }

    private static boolean isNumeric(int c) {
        int type = Character.getType(c);
        return type == Character.DECIMAL_DIGIT_NUMBER
                || type == Character.OTHER_NUMBER
                || type == Character.LETTER_NUMBER;
    }

    private static boolean isCased(int c) {
        return Character.isUpperCase(c) || Character.isLowerCase(c) || Character.isTitleCase(c);
    }

    static boolean isLower(String text) {
        return text.codePoints().anyMatch(Character::isLowerCase)
                && text.codePoints().noneMatch(c -> Character.isUpperCase(c) || Character.isTitleCase(c));
    }

    static boolean isUpper(String text) {
        return text.codePoints().anyMatch(Character::isUpperCase)
                && text.codePoints().noneMatch(c -> Character.isLowerCase(c) || Character.isTitleCase(c));
    }

    private static boolean isTitle(String text) {
        return text.codePoints().anyMatch(StringCases::isCased) && title(text).equals(text);
    }

    /** The first letter large, the others small. */
    static String capitalize(String text) {
        if (text.isEmpty()) {
            return text;
        }
        int end = text.offsetByCodePoints(0, 1);
        return Character.toString(Character.toTitleCase(text.codePointAt(0)))
                + text.substring(end).toLowerCase(Locale.ROOT);
    }

    private static String title(String text) {
        StringBuilder result = new StringBuilder(text.length());
        boolean inWord = false;
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            int c = text.codePointAt(i);
            result.appendCodePoint(inWord ? Character.toLowerCase(c) : Character.toTitleCase(c));
            inWord = isCased(c);
        }
        return result.toString();
    }

    private static String swapped(String text) {
        StringBuilder result = new StringBuilder(text.length());
        text.codePoints()
                .forEach(c -> result.append(
                        Character.isUpperCase(c)
                                ? Character.toString(c).toLowerCase(Locale.ROOT)
                                : Character.toString(c).toUpperCase(Locale.ROOT)));
        return result.toString();
    }

    private static String padded(Run run, String function, String text, Arguments arguments) {
        Arguments.Bound bound = arguments.bind(function, 1, "width", "fillchar");
        String fill = bound.text(1, " ");
        if (Values.length(fill) != 1) {
            throw TemplateError.runtime(function + " needs one character to fill with");
        }
        return padded(run, function, text, bound.integer(0), fill);
    }

    /** A text made as wide as asked, on the side that {@code ljust}, {@code rjust} or {@code center} pads. */
    static String padded(Run run, String function, String text, long width, String fill) {
        long missing = width - Values.length(text);
        if (missing <= 0) {
            return text;
        }
        run.budget().make(Math.min(width, Integer.MAX_VALUE) * fill.length() + text.length());
        int left = switch (function) {
            case "ljust" -> 0;
            case "rjust" -> (int) missing;
            // Python puts an odd one on the left where the width is odd.
            default -> (int) (missing / 2 + (missing & width & 1));
        };
        return fill.repeat(left) + text + fill.repeat((int) missing - left);
    }

    private static String zeroFilled(Run run, String text, Arguments arguments) {
        long width = arguments.bind("zfill", 1, "width").integer(0);
        boolean signed = text.startsWith("-") || text.startsWith("+");
        String sign = signed ? text.substring(0, 1) : "";
        return sign + padded(run, "rjust", text.substring(sign.length()), width - sign.length(), "0");
    }
}
