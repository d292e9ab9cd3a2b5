package dev.tandem.runtime.chat.jinja;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Iterator;
import java.util.List;

/** Values as text, the way Python's {@code str} and {@code repr} write them. */
final class Text {
    private Text() {}

    /** A value's text; a string's is itself. */
    static String of(Run run, Object value) {
        if (value instanceof String text) {
            return text;
        }
        if (isContainer(value)) {
            StringBuilder text = new StringBuilder();
            repr(run, value, text);
            return text.toString();
        }
        return simple(value);
    }

    /** A value as it stands in source text: a string in quotes. */
    static String repr(Run run, Object value) {
        StringBuilder text = new StringBuilder();
        repr(run, value, text);
        return text.toString();
    }

    /** A real number's text: the shortest that reads back as the same number. */
    static String of(double real) {
        if (Double.isNaN(real)) {
            return "nan";
        }
        if (Double.isInfinite(real)) {
            return real < 0 ? "-inf" : "inf";
        }
        if (real == 0) {
            return 1 / real < 0 ? "-0.0" : "0.0";
        }
        BigDecimal decimal = new BigDecimal(Double.toString(Math.abs(real))).stripTrailingZeros();
        String digits = decimal.unscaledValue().toString();
        int exponent = digits.length() - decimal.scale() - 1;
        String sign = real < 0 ? "-" : "";
        if (exponent < -4 || exponent >= 16) {
            String fraction = digits.length() > 1 ? "." + digits.substring(1) : "";
            String number = Math.abs(exponent) < 10 ? "0" + Math.abs(exponent) : "" + Math.abs(exponent);
            return sign + digits.charAt(0) + fraction + "e" + (exponent < 0 ? "-" : "+") + number;
        }
        String plain = decimal.toPlainString();
        return sign + (plain.contains(".") ? plain : plain + ".0");
    }

    private static boolean isContainer(Object value) {
        return value instanceof ListValue || value instanceof Tuple || value instanceof Dict || value instanceof View;
    }

    private static String simple(Object value) {
        return switch (value) {
            case Boolean flag -> flag ? "True" : "False";
            case Long integer -> integer.toString();
            case BigInteger integer -> integer.toString();
            case Double real -> of((double) real);
            case None none -> "None";
            case Undefined undefined -> "";
            case Range range -> range.toString();
            default -> value.toString();
        };
    }

    private static void repr(Run run, Object value, StringBuilder text) {
        Budget budget = run.budget();
        budget.enter();
        int before = text.length();
        switch (value) {
            case String string -> quoted(string, text);
            case ListValue list -> sequence(run, "[", list.items(), "]", text);
            case Tuple tuple -> sequence(run, "(", tuple.items(), tuple.items().size() == 1 ? ",)" : ")", text);
            case View view -> sequence(run, view.name() + "([", view.items(), "])", text);
            case Dict dict -> dict(run, dict, text);
            case Undefined undefined -> text.append("Undefined");
            default -> text.append(simple(value));
        }
        budget.make(isContainer(value) ? 2 : text.length() - before);
        budget.leave();
    }

    private static void sequence(Run run, String open, List<Object> items, String close, StringBuilder text) {
        text.append(open);
        Iterator<Object> all = items.iterator();
        while (all.hasNext()) {
            repr(run, all.next(), text);
            text.append(all.hasNext() ? ", " : "");
        }
        text.append(close);
    }

    private static void dict(Run run, Dict dict, StringBuilder text) {
        text.append('{');
        String separator = "";
        for (Object entry : dict.items()) {
            List<Object> pair = ((Tuple) entry).items();
            text.append(separator);
            repr(run, pair.get(0), text);
            text.append(": ");
            repr(run, pair.get(1), text);
            separator = ", ";
        }
        text.append('}');
    }

    private static void quoted(String string, StringBuilder text) {
        char quote = string.indexOf('\'') >= 0 && string.indexOf('"') < 0 ? '"' : '\'';
        text.append(quote);
        string.codePoints().forEach(c -> escaped(c, quote, text));
        text.append(quote);
    }

    private static void escaped(int c, char quote, StringBuilder text) {
        switch (c) {
            case '\n' -> text.append("\\n");
            case '\r' -> text.append("\\r");
            case '\t' -> text.append("\\t");
            case '\\' -> text.append("\\\\");
            default -> {
                if (c == quote) {
                    text.append('\\').append(quote);
                } else if (Chars.isPrintable(c)) {
                    text.appendCodePoint(c);
                } else {
                    text.append(c < 0x100 ? "\\x" : c < 0x10000 ? "\\u" : "\\U");
                    String hex = Integer.toHexString(c);
                    text.repeat('0', (c < 0x100 ? 2 : c < 0x10000 ? 4 : 8) - hex.length())
                            .append(hex);
                }
            }
        }
    }
}
