package dev.tandem.runtime.grammar;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON as expressions: the rules that every schema shares, fixed values and characters of strings. */
final class JsonText {
    /** White space is short and numbers have few digits, so that a text that only wants to end does. */
    static final String RULES = """
            json-space ::= (" " | "\\n" [ \\t]{0,20})?
            json-value ::= json-object | json-array | json-string | json-number | "true" | "false" | "null"
            json-object ::= "{" json-space (json-member (json-space "," json-space json-member)* json-space)? "}"
            json-member ::= json-string json-space ":" json-space json-value
            json-array ::= "[" json-space (json-value (json-space "," json-space json-value)* json-space)? "]"
            json-string ::= "\\"" json-char* "\\""
            json-char ::= [^"\\\\\\x00-\\x1f] | "\\\\" (["\\\\/bfnrt] | "u" (json-low json-hex{3} | [dD] [0-7] json-hex{2}))
            json-low ::= [0-9a-cA-CeEfF]
            json-hex ::= [0-9a-fA-F]
            json-integer ::= "-"? ("0" | [1-9] [0-9]{0,15})
            json-number ::= json-integer ("." [0-9]{1,16})? ([eE] [+-]? [0-9]{1,2})?
            json-fraction ::= "." [0-9]{0,15} [1-9]
            json-date ::= [0-9]{4} "-" (("0" [13578] | "1" [02]) "-" (json-to-28 | "29" | "3" [01])
              | ("0" [469] | "11") "-" (json-to-28 | "29" | "30") | "02-" json-to-28)
            json-to-28 ::= "0" [1-9] | "1" [0-9] | "2" [0-8]
            json-time ::= json-hour ":" [0-5] [0-9] ":" [0-5] [0-9] ("." [0-9]{1,9})? ("Z" | [+-] json-hour ":" [0-5] [0-9])
            json-hour ::= [01] [0-9] | "2" [0-3]
            json-date-time ::= json-date "T" json-time
            json-uuid ::= json-hex{8} "-" json-hex{4} "-" json-hex{4} "-" json-hex{4} "-" json-hex{12}
            """;

    private static final int LAST_CONTROL = 0x1F;
    /** What stands in a string as it is. */
    private static final CodePointRanges PLAIN = CodePointRanges.of(0, LAST_CONTROL)
            .or(CodePointRanges.anyOf("\"\\"))
            .complement();

    private JsonText() {}

    static Expression reference(String name) {
        return new Expression.Reference("json-" + name);
    }

    /** Between quotation marks. */
    static Expression quoted(Expression inner) {
        return Expression.sequence(Expression.text("\""), inner, Expression.text("\""));
    }

    /** One character of a set as a string holds it: as it is where it can be, else escaped. */
    static Expression character(CodePointRanges set) {
        List<Expression> options = new ArrayList<>();
        CodePointRanges plain = set.and(PLAIN);
        if (!plain.isEmpty()) {
            options.add(new Expression.Characters(plain));
        }
        for (CodePointRanges.Range range : set.and(PLAIN.complement()).ranges()) {
            for (int c = range.first(); c <= range.last(); c++) {
                options.add(Expression.text(escape(c)));
            }
        }
        return new Expression.Choice(options);
    }

    private static String escape(int c) {
        return switch (c) {
            case '"' -> "\\\"";
            case '\\' -> "\\\\";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> "\\u00" + HexFormat.of().toHexDigits((byte) c);
        };
    }

    /** A value, without white space. */
    static String write(@Nullable Object value) {
        StringBuilder text = new StringBuilder();
        write(value, text);
        return text.toString();
    }

    private static void write(@Nullable Object value, StringBuilder text) {
        switch (value) {
            case null -> text.append("null");
            case String s -> writeString(s, text);
            case Map<?, ?> members -> {
                Iterator<? extends Map.Entry<?, ?>> entries = members.entrySet().iterator();
                text.append('{');
                while (entries.hasNext()) {
                    Map.Entry<?, ?> entry = entries.next();
                    writeString(String.valueOf(entry.getKey()), text);
                    text.append(':');
                    write(entry.getValue(), text);
                    text.append(entries.hasNext() ? "," : "");
                }
                text.append('}');
            }
            case List<?> elements -> {
                text.append('[');
                for (int i = 0; i < elements.size(); i++) {
                    text.append(i == 0 ? "" : ",");
                    write(elements.get(i), text);
                }
                text.append(']');
            }
            default -> text.append(value);
        }
    }

    private static void writeString(String s, StringBuilder text) {
        text.append('"');
        s.codePoints().forEach(c -> {
            if (PLAIN.contains(c)) {
                text.appendCodePoint(c);
            } else {
                text.append(escape(c));
            }
        });
        text.append('"');
    }
}
