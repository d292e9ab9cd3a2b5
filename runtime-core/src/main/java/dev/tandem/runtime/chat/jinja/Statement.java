package dev.tandem.runtime.chat.jinja;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement of a template. */
sealed interface Statement {
    /** Where it begins: its tag, or its text. */
    Span span();

    record Data(Span span, String text) implements Statement {}

    record Print(Span span, Expression value) implements Statement {}

    record If(Span span, List<Branch> branches, List<Statement> otherwise) implements Statement {}

    record Branch(Expression test, List<Statement> body) {}

    record For(
            Span span,
            Target target,
            Expression items,
            @Nullable Expression test,
            boolean recursive,
            List<Statement> body,
            List<Statement> otherwise)
            implements Statement {}

    record Set(Span span, Target target, Expression value) implements Statement {}

    /** A set block; its filters apply from first to last. */
    record SetBlock(Span span, Target target, @Nullable Expression filters, List<Statement> body)
            implements Statement {}

    record MacroDefinition(Span span, Signature signature, List<Statement> body) implements Statement {}

    /**
     * What a macro is called and takes.
     *
     * @param name of the macro
     * @param parameters in order
     * @param defaults of the last parameters
     * @param usesVarargs whether the body reads {@code varargs}
     * @param usesKwargs whether the body reads {@code kwargs}
     * @param usesCaller whether the body reads {@code caller}
     */
    record Signature(
            String name,
            List<String> parameters,
            List<Expression> defaults,
            boolean usesVarargs,
            boolean usesKwargs,
            boolean usesCaller) {}

    record CallBlock(Span span, Expression.Call call, Signature signature, List<Statement> body) implements Statement {}

    record FilterBlock(Span span, Expression filters, List<Statement> body) implements Statement {}

    record With(Span span, List<Target> targets, List<Expression> values, List<Statement> body) implements Statement {}

    /** A body with variables of its own, such as that of a generation block. */
    record Scoped(Span span, List<Statement> body) implements Statement {}

    record Do(Span span, Expression value) implements Statement {}

    record Break(Span span) implements Statement {}

    record Continue(Span span) implements Statement {}

    /** What an assignment assigns to. */
    sealed interface Target {
        record Variable(String name) implements Target {}

        /** An attribute of a namespace. */
        record Member(Span span, String namespace, String name) implements Target {}

        record Several(Span span, List<Target> targets) implements Target {}
    }
}
