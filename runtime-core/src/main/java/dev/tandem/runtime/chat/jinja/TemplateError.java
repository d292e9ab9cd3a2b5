package dev.tandem.runtime.chat.jinja;

import org.jspecify.annotations.Nullable;

/** Something is wrong with a template; {@link JinjaTemplate} turns it into an exception for users. */
final class TemplateError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Who is to blame. */
    enum Kind {
        /** The template is no Jinja. */
        SYNTAX,
        /** The template does what the language forbids. */
        RUNTIME,
        /** The template used up its budget. */
        LIMIT,
        /** The template refuses the conversation. */
        RAISED
    }

    private final Kind kind;
    private transient @Nullable Span span;

    TemplateError(Kind kind, String message) {
        super(message, null, false, false);
        this.kind = kind;
    }

    static TemplateError runtime(String message) {
        return new TemplateError(Kind.RUNTIME, message);
    }

    static TemplateError syntax(Span span, String message) {
        return new TemplateError(Kind.SYNTAX, message).at(span);
    }

    static TemplateError limit(String message) {
        return new TemplateError(Kind.LIMIT, message);
    }

    /** The same error, placed: the innermost node that it passes names the place. */
    TemplateError at(Span where) {
        if (span == null) {
            span = where;
        }
        return this;
    }

    Kind kind() {
        return kind;
    }

    @Nullable
    Span span() {
        return span;
    }
}
