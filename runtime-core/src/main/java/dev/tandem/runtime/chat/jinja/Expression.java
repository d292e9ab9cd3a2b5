package dev.tandem.runtime.chat.jinja;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** An expression of a template. */
sealed interface Expression {
    /** Where it stands. */
    Span span();

    record Literal(Span span, Object value) implements Expression {}

    record Name(Span span, String name) implements Expression {}

    record ListLiteral(Span span, List<Expression> items) implements Expression {}

    record TupleLiteral(Span span, List<Expression> items) implements Expression {}

    record DictLiteral(Span span, List<Expression> keys, List<Expression> values) implements Expression {}

    record Unary(Span span, String operator, Expression operand) implements Expression {}

    record Binary(Span span, String operator, Expression left, Expression right) implements Expression {}

    /** Short-circuit {@code and} or {@code or}. */
    record Logic(Span span, boolean and, Expression left, Expression right) implements Expression {}

    record Concat(Span span, List<Expression> parts) implements Expression {}

    /** A chain such as {@code a < b <= c}: {@code operators[i]} stands before {@code rights[i]}. */
    record Comparison(Span span, Expression first, List<String> operators, List<Expression> rights)
            implements Expression {}

    record Conditional(
            Span span,
            Expression test,
            Expression yes,
            @Nullable Expression no) implements Expression {}

    record Attribute(Span span, Expression target, String name) implements Expression {}

    record Subscript(Span span, Expression target, Expression index) implements Expression {}

    record Slice(
            Span span,
            @Nullable Expression from,
            @Nullable Expression to,
            @Nullable Expression step) implements Expression {}

    record Call(Span span, Expression target, CallArguments arguments) implements Expression {}

    /** A filter; without a target in filter blocks, where the block's text is the target. */
    record Filtered(Span span, @Nullable Expression target, String name, CallArguments arguments)
            implements Expression {}

    record Test(Span span, Expression target, String name, CallArguments arguments) implements Expression {}

    /**
     * The arguments of a call.
     *
     * @param positional in order
     * @param names of the keyword arguments
     * @param values of the keyword arguments
     * @param star more positional ones
     * @param starStar more keyword arguments
     */
    record CallArguments(
            List<Expression> positional,
            List<String> names,
            List<Expression> values,
            @Nullable Expression star,
            @Nullable Expression starStar) {
        static final CallArguments NONE = new CallArguments(List.of(), List.of(), List.of(), null, null);
    }
}
