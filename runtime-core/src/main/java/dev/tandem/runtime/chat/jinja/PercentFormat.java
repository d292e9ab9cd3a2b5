package dev.tandem.runtime.chat.jinja;

import java.util.List;

/** The {@code %} operator of strings: {@code 'a %s b' % value}. */
final class PercentFormat {
    private final Run run;
    private final String template;
    private final Object values;
    private final List<Object> row;
    private int used;
    private int at;

    private PercentFormat(Run run, String template, Object values) {
        this.run = run;
        this.template = template;
        this.values = values;
        row = values instanceof Tuple tuple ? tuple.items() : List.of(values);
    }

    static String format(Run run, String template, Object values) {
        return new PercentFormat(run, template, values).format();
    }

    private String format() {
        StringBuilder result = new StringBuilder();
        boolean keyed = false;
        while (at < template.length()) {
            char c = template.charAt(at++);
            if (c != '%') {
                result.append(c);
            } else if (at < template.length() && template.charAt(at) == '%') {
                result.append('%');
                at++;
            } else {
                keyed |= at < template.length() && template.charAt(at) == '(';
                String field = field();
                run.budget().make(field.length());
                result.append(field);
            }
        }
        boolean indexed = values instanceof ListValue || values instanceof Dict || values instanceof Range;
        if (!keyed && used < row.size() && !indexed) {
            throw TemplateError.runtime("'%' has more values than its string has places");
        }
        return run.budget().made(result.toString());
    }

    private String field() {
        Object value = null;
        if (at < template.length() && template.charAt(at) == '(') {
            value = byKey();
        }
        int flagsFrom = at;
        while (at < template.length() && "-+ 0#".indexOf(template.charAt(at)) >= 0) {
            at++;
        }
        String flags = template.substring(flagsFrom, at);
        long width = number();
        long precision = -1;
        if (at < template.length() && template.charAt(at) == '.') {
            at++;
            precision = number();
        }
        if (at >= template.length()) {
            throw TemplateError.runtime("the string before '%' ends within a place for a value");
        }
        char type = template.charAt(at++);
        Object given = value == null ? next() : value;
        boolean left = flags.contains("-") || width < 0;
        boolean zero = flags.contains("0") && !left;
        FormatSpec spec = new FormatSpec(
                zero ? "0" : " ",
                left ? '<' : zero ? '=' : '>',
                flags.contains("+") ? '+' : flags.contains(" ") ? ' ' : '-',
                flags.contains("#"),
                run.budget().make(Math.abs(width)),
                "",
                Math.clamp(precision, -1, FormatSpec.MOST_PRECISION + 1),
                type);
        return converted(spec, type, given);
    }

    private Object byKey() {
        int close = template.indexOf(')', at);
        if (close < 0 || !(values instanceof Dict dict)) {
            throw TemplateError.runtime("the string before '%' names keys, and needs a dict behind it");
        }
        String key = template.substring(at + 1, close);
        at = close + 1;
        Object value = dict.get(key);
        if (value == null) {
            throw TemplateError.runtime("the dict after '%' has no key '" + key + "'");
        }
        return value;
    }

    private long number() {
        if (at < template.length() && template.charAt(at) == '*') {
            at++;
            return Numbers.small(next());
        }
        long number = 0;
        while (at < template.length() && Chars.isDigit(template.charAt(at))) {
            number = Math.min(Integer.MAX_VALUE, number * 10 + template.charAt(at++) - '0');
        }
        return number;
    }

    private Object next() {
        if (used >= row.size()) {
            throw TemplateError.runtime("'%' has fewer values than its string has places");
        }
        return row.get(used++);
    }

    private String converted(FormatSpec spec, char type, Object value) {
        return switch (type) {
            case 's' -> spec.asText().format(run, Text.of(run, value));
            case 'r', 'a' -> spec.asText().format(run, Text.repr(run, value));
            case 'c' -> spec.asText().format(run, character(value));
            case 'd', 'i', 'u' -> spec.as('d').format(run, whole(value));
            case 'o', 'x', 'X' -> spec.format(run, whole(value));
            case 'e', 'E', 'f', 'F', 'g', 'G' -> spec.format(run, Numbers.real(value));
            default -> throw TemplateError.runtime("'%' knows no place for a value of the kind '" + type + "'");
        };
    }

    private static Object whole(Object value) {
        return value instanceof Double real ? Numbers.truncate(real) : Numbers.integer(Numbers.big(value));
    }

    private static String character(Object value) {
        if (value instanceof String text && Values.length(text) == 1) {
            return text;
        }
        long code = Numbers.small(value);
        if (code < 0 || code > Character.MAX_CODE_POINT) {
            throw TemplateError.runtime("%c needs one character");
        }
        return Character.toString((int) code);
    }
}
