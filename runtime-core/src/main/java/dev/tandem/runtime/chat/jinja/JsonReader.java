package dev.tandem.runtime.chat.jinja;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads JSON into values, as strictly as Python's {@code json.loads}. */
final class JsonReader {
    private static final Pattern NUMBER =
            Pattern.compile("-?(?:0|[1-9][0-9]{0,1000})(\\.[0-9]{1,1000})?([eE][-+]?[0-9]{1,10})?");

    private final Run run;
    private final String text;
    private int at;

    private JsonReader(Run run, String text) {
        this.run = run;
        this.text = text;
    }

    static Object read(Run run, String text) {
        run.budget().look(text.length());
        run.budget().make(text.length());
        JsonReader reader = new JsonReader(run, text);
        Object value = reader.value();
        reader.skipSpace();
        if (reader.at < text.length()) {
            throw reader.bad("more text after the value");
        }
        return value;
    }

    private TemplateError bad(String problem) {
        return TemplateError.runtime("no valid JSON: " + problem + " at character " + at);
    }

    private void skipSpace() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        skipSpace();
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private boolean skip(char c) {
        boolean there = peek() == c;
        at += there ? 1 : 0;
        return there;
    }

    private Object value() {
        run.budget().enter();
        run.budget().elements(1);
        Object value = switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", None.NONE);
            case 'N' -> word("NaN", Double.NaN);
            case 'I' -> word("Infinity", Double.POSITIVE_INFINITY);
            default -> number();
        };
        run.budget().leave();
        return value;
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw bad("an unknown word");
        }
        at += word.length();
        return value;
    }

    private Object number() {
        if (text.startsWith("-Infinity", at)) {
            return word("-Infinity", Double.NEGATIVE_INFINITY);
        }
        Matcher matcher = NUMBER.matcher(text).region(at, text.length());
        if (!matcher.lookingAt()) {
            throw bad("no value");
        }
        at = matcher.end();
        boolean real = matcher.group(1) != null || matcher.group(2) != null;
        return real ? (Object) Double.valueOf(matcher.group()) : Numbers.integer(new BigInteger(matcher.group()));
    }

    private Object array() {
        at++;
        List<Object> items = new ArrayList<>();
        if (skip(']')) {
            return new ListValue(items);
        }
        do {
            items.add(value());
        } while (skip(','));
        if (!skip(']')) {
            throw bad("expected ',' or ']'");
        }
        return new ListValue(items);
    }

    private Object object() {
        at++;
        Dict dict = new Dict();
        if (skip('}')) {
            return dict;
        }
        do {
            if (peek() != '"') {
                throw bad("expected a key");
            }
            String key = string();
            if (!skip(':')) {
                throw bad("expected ':'");
            }
            dict.put(key, value());
        } while (skip(','));
        if (!skip('}')) {
            throw bad("expected ',' or '}'");
        }
        return dict;
    }

    private String string() {
        StringBuilder result = new StringBuilder();
        at++;
        while (at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at++);
            if (c < ' ') {
                throw bad("a control character in a string");
            }
            result.append(c == '\\' ? escaped() : c);
        }
        if (at >= text.length()) {
            throw bad("a string that never ends");
        }
        at++;
        return result.toString();
    }

    private char escaped() {
        char c = at < text.length() ? text.charAt(at++) : '\0';
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw bad("an unknown escape");
        };
    }

    private char unicode() {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = at < text.length() ? Character.digit(text.charAt(at++), 16) : -1;
            if (digit < 0) {
                throw bad("an escape that is not four hexadecimal digits");
            }
            code = code * 16 + digit;
        }
        return (char) code;
    }
}
