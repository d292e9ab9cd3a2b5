package dev.tandem.runtime.chat.jinja;

/**
 * A piece of a template.
 *
 * @param kind what it is
 * @param text its text: of data and names as they count, of operators the operator
 * @param value of a literal; else the text
 * @param span where it is
 */
record Token(Kind kind, String text, Object value, Span span) {
    enum Kind {
        DATA,
        BLOCK_BEGIN,
        BLOCK_END,
        VARIABLE_BEGIN,
        VARIABLE_END,
        NAME,
        STRING,
        NUMBER,
        OPERATOR,
        END
    }

    boolean isName(String name) {
        return kind == Kind.NAME && text.equals(name);
    }

    boolean isOperator(String operator) {
        return kind == Kind.OPERATOR && text.equals(operator);
    }

    /** How an error calls it. */
    String described() {
        return switch (kind) {
            case END -> "the end of the template";
            case DATA -> "template text";
            case BLOCK_END, VARIABLE_END -> "the end of the tag";
            default -> "'" + text + "'";
        };
    }
}
