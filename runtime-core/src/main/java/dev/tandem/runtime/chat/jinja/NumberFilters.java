package dev.tandem.runtime.chat.jinja;

import java.math.BigInteger;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Filters about numbers. */
final class NumberFilters {
    private static final int MOST_DIGITS = 1000;

    static final Map<String, Filters.Filter> FILTERS = Map.of(
            "abs",
                    Filters.plain(
                            "abs",
                            (run, value) -> value instanceof Double real
                                    ? Math.abs(real)
                                    : Numbers.integer(Numbers.big(value).abs())),
            "int", NumberFilters::toInteger,
            "float",
                    (run, value, a) -> {
                        Object otherwise = a.bind("float", 0, "default").get(0, 0.0);
                        if (value instanceof Undefined undefined) {
                            throw undefined.error();
                        }
                        Double real = value instanceof String text ? parseReal(text) : null;
                        return Numbers.isNumber(value) ? (Object) Numbers.real(value) : real == null ? otherwise : real;
                    },
            "round", NumberFilters::round,
            "filesizeformat", NumberFilters::fileSize);

    private NumberFilters() {}

    private static Object toInteger(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("int", 0, "default", "base");
        Object otherwise = bound.get(0, 0L);
        if (value instanceof Undefined undefined) {
            throw undefined.error();
        }
        if (Numbers.isInteger(value)) {
            return Numbers.integer(Numbers.big(value));
        }
        if (value instanceof Double real) {
            return Double.isNaN(real) || Double.isInfinite(real) ? otherwise : Numbers.truncate(real);
        }
        if (!(value instanceof String text)) {
            return otherwise;
        }
        Object integer = parseInteger(text, bound.integer(1, 10));
        if (integer != null) {
            return integer;
        }
        Double real = parseReal(text);
        return real == null || real.isNaN() || real.isInfinite() ? otherwise : Numbers.truncate(real);
    }

    private static @Nullable Object parseInteger(String text, long base) {
        String digits = text.strip().toLowerCase(Locale.ROOT);
        boolean negative = digits.startsWith("-");
        digits = negative || digits.startsWith("+") ? digits.substring(1) : digits;
        String prefix = base == 16 ? "0x" : base == 8 ? "0o" : base == 2 ? "0b" : "";
        if (!prefix.isEmpty() && digits.startsWith(prefix)) {
            digits = digits.substring(2);
        }
        boolean spaced = digits.startsWith("_") || digits.endsWith("_") || digits.contains("__");
        digits = digits.replace("_", "");
        if (spaced || digits.isEmpty() || digits.length() > MOST_DIGITS || base < 2 || base > 36) {
            return null;
        }
        int radix = (int) base;
        if (!digits.chars().allMatch(c -> Character.digit(c, radix) >= 0)) {
            return null;
        }
        BigInteger size = new BigInteger(digits, radix);
        return Numbers.integer(negative ? size.negate() : size);
    }

    private static @Nullable Double parseReal(String text) {
        String number = text.strip().toLowerCase(Locale.ROOT);
        String unsigned = number.startsWith("-") || number.startsWith("+") ? number.substring(1) : number;
        double sign = number.startsWith("-") ? -1 : 1;
        if (unsigned.equals("inf") || unsigned.equals("infinity")) {
            return sign * Double.POSITIVE_INFINITY;
        }
        if (unsigned.equals("nan")) {
            return Double.NaN;
        }
        boolean plain = !unsigned.isEmpty()
                && unsigned.length() <= MOST_DIGITS
                && unsigned.chars().allMatch(c -> Chars.isDigit(c) || "_.e+-".indexOf(c) >= 0);
        if (!plain) {
            return null;
        }
        try {
            return sign * Double.parseDouble(unsigned.replace("_", ""));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static Object round(Run run, Object value, Arguments arguments) {
        Arguments.Bound bound = arguments.bind("round", 0, "precision", "method");
        long precision = Math.clamp(bound.integer(0, 0), -400, 400);
        String method = bound.text(1, "common");
        if (method.equals("common")) {
            if (value instanceof Double real) {
                return Numbers.round(real, (int) precision);
            }
            return precision >= 0
                    ? Numbers.integer(Numbers.big(value))
                    : Numbers.truncate(Numbers.round(Numbers.real(value), (int) precision));
        }
        if (!method.equals("ceil") && !method.equals("floor")) {
            throw TemplateError.runtime("round knows the methods 'common', 'ceil' and 'floor'");
        }
        double scale = Math.pow(10, (double) precision);
        double scaled = Numbers.real(value) * scale;
        return (method.equals("ceil") ? Math.ceil(scaled) : Math.floor(scaled)) / scale;
    }

    private static Object fileSize(Run run, Object value, Arguments arguments) {
        boolean binary = arguments.bind("filesizeformat", 0, "binary").flag(0, false);
        Double parsed = value instanceof String text ? parseReal(text) : null;
        double bytes = parsed != null ? parsed : Numbers.real(value);
        int base = binary ? 1024 : 1000;
        if (bytes == 1) {
            return "1 Byte";
        }
        if (bytes < base) {
            return (long) bytes + " Bytes";
        }
        String prefixes = binary ? "KMGTPEZY" : "kMGTPEZY";
        double unit = base;
        int i = 0;
        while (i < prefixes.length() - 1 && bytes >= unit * base) {
            unit *= base;
            i++;
        }
        String number = FormatSpec.parse(".1f").format(run, bytes / unit);
        return number + " " + prefixes.charAt(i) + (binary ? "iB" : "B");
    }
}
