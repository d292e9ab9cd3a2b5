package dev.tandem.runtime.chat.jinja;

/** The {@code format} method of strings: {@code '{} {name:>5}'.format(…)}. */
final class BraceFormat {
    private final Run run;
    private final Arguments arguments;
    private int automatic;

    private BraceFormat(Run run, Arguments arguments) {
        this.run = run;
        this.arguments = arguments;
    }

    static String format(Run run, String template, Arguments arguments) {
        return run.budget().made(new BraceFormat(run, arguments).format(template, 2));
    }

    /** Fields inside a field's format are filled in as well, once: {@code depth} says how often still. */
    private String format(String template, int depth) {
        StringBuilder result = new StringBuilder();
        int at = 0;
        while (at < template.length()) {
            char c = template.charAt(at);
            boolean twice = at + 1 < template.length() && template.charAt(at + 1) == c;
            if ((c == '{' || c == '}') && twice) {
                result.append(c);
                at += 2;
            } else if (c == '{') {
                int close = close(template, at);
                String field = field(template.substring(at + 1, close), depth - 1);
                run.budget().make(field.length());
                result.append(field);
                at = close + 1;
            } else if (c == '}') {
                throw TemplateError.runtime("format() found a '}' without a '{'");
            } else {
                result.append(c);
                at++;
            }
        }
        return result.toString();
    }

    private static int close(String template, int open) {
        int depth = 0;
        for (int i = open; i < template.length(); i++) {
            char c = template.charAt(i);
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        throw TemplateError.runtime("format() found a '{' without a '}'");
    }

    private String field(String field, int depth) {
        if (depth < 0) {
            throw TemplateError.runtime("format() found fields nested too deeply");
        }
        int bracket = field.indexOf(']');
        int colon = field.indexOf(':', Math.max(0, bracket));
        String head = colon < 0 ? field : field.substring(0, colon);
        int mark = head.lastIndexOf('!');
        String name = mark < 0 ? head : head.substring(0, mark);
        String conversion = mark < 0 ? "" : head.substring(mark + 1);
        Object value = value(name);
        String spec = colon < 0 ? "" : format(field.substring(colon + 1), depth);
        Object converted = switch (conversion) {
            case "" -> value;
            case "s" -> Text.of(run, value);
            case "r", "a" -> Text.repr(run, value);
            default -> throw TemplateError.runtime("format() knows no conversion '!" + conversion + "'");
        };
        return spec.isEmpty() ? Text.of(run, converted) : FormatSpec.parse(spec).format(run, converted);
    }

    private Object value(String name) {
        int end = 0;
        while (end < name.length() && name.charAt(end) != '.' && name.charAt(end) != '[') {
            end++;
        }
        Object value = argument(name.substring(0, end));
        while (end < name.length()) {
            run.budget().step();
            int start = end + 1;
            if (name.charAt(end) == '[') {
                end = name.indexOf(']', start);
                if (end < 0) {
                    throw TemplateError.runtime("format() found a '[' without a ']'");
                }
                value = Access.item(run, value, key(name.substring(start, end++)));
            } else {
                end = start;
                while (end < name.length() && name.charAt(end) != '.' && name.charAt(end) != '[') {
                    end++;
                }
                value = Access.attribute(run, value, name.substring(start, end));
            }
        }
        return value;
    }

    private Object argument(String name) {
        boolean byPlace = name.isEmpty() || name.chars().allMatch(Chars::isDigit) && name.length() < 9;
        if (!byPlace) {
            Object value = arguments.named().get(name);
            if (value == null) {
                throw TemplateError.runtime("format() got no argument '" + name + "'");
            }
            return value;
        }
        int index = name.isEmpty() ? automatic++ : Integer.parseInt(name);
        if (index >= arguments.positional().size()) {
            throw TemplateError.runtime("format() got too few arguments");
        }
        return arguments.positional().get(index);
    }

    private static Object key(String text) {
        boolean whole = !text.isEmpty() && text.length() < 10 && text.chars().allMatch(Chars::isDigit);
        return whole ? (Object) Long.valueOf(text) : text;
    }
}
