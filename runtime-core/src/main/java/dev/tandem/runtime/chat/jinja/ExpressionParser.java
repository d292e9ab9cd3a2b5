package dev.tandem.runtime.chat.jinja;

import dev.tandem.runtime.chat.jinja.Expression.CallArguments;
import dev.tandem.runtime.chat.jinja.Token.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parses expressions by recursive descent, one method per level of precedence. */
final class ExpressionParser {
    private static final Set<String> COMPARISONS = Set.of("==", "!=", "<", "<=", ">", ">=");
    private static final Set<String> ADDITIVE = Set.of("+", "-");
    private static final Set<String> MULTIPLICATIVE = Set.of("*", "/", "//", "%");
    private static final Set<String> NO_TEST_ARGUMENT = Set.of("else", "or", "and", "if", "in", "not");

    private final TokenStream stream;
    private final Primaries primaries;
    private Set<String> names = new HashSet<>();

    ExpressionParser(TokenStream stream) {
        this.stream = stream;
        primaries = new Primaries(stream, this);
    }

    /** Starts collecting the names that expressions read, and answers with those collected so far. */
    Set<String> collectNames(Set<String> into) {
        Set<String> before = names;
        names = into;
        return before;
    }

    void sawName(String name) {
        names.add(name);
    }

    /** An expression, with a conditional allowed. */
    Expression expression() {
        stream.enter();
        Expression value = or();
        while (stream.skipName("if")) {
            Expression test = or();
            Expression no = stream.skipName("else") ? expression() : null;
            value = new Expression.Conditional(from(value), test, value, no);
        }
        stream.leave();
        return value;
    }

    /** An expression without a conditional at its top. */
    Expression unconditional() {
        stream.enter();
        Expression value = or();
        stream.leave();
        return value;
    }

    /** One expression, or a tuple of several separated by commas. */
    Expression tuple(boolean conditional, boolean parenthesised, String endName) {
        Span start = stream.current().span();
        List<Expression> items = new ArrayList<>();
        boolean several = false;
        while (!atTupleEnd(endName)) {
            items.add(conditional ? expression() : unconditional());
            if (!stream.skip(",")) {
                break;
            }
            several = true;
        }
        if (items.size() == 1 && !several) {
            return items.getFirst();
        }
        if (items.isEmpty() && !parenthesised) {
            throw stream.unexpected("an expression");
        }
        return new Expression.TupleLiteral(start.to(stream.previous().span()), items);
    }

    private boolean atTupleEnd(String endName) {
        return stream.at(Kind.VARIABLE_END)
                || stream.at(Kind.BLOCK_END)
                || stream.at(")")
                || !endName.isEmpty() && stream.atName(endName);
    }

    private Span from(Expression first) {
        return first.span().to(stream.previous().span());
    }

    private Expression or() {
        Expression left = and();
        while (stream.skipName("or")) {
            Expression right = and();
            left = new Expression.Logic(from(left), false, left, right);
        }
        return left;
    }

    private Expression and() {
        Expression left = not();
        while (stream.skipName("and")) {
            Expression right = not();
            left = new Expression.Logic(from(left), true, left, right);
        }
        return left;
    }

    private Expression not() {
        if (!stream.atName("not")) {
            return comparison();
        }
        Span start = stream.next().span();
        stream.enter();
        Expression operand = not();
        stream.leave();
        return new Expression.Unary(start.to(operand.span()), "not", operand);
    }

    private Expression comparison() {
        Expression first = additive();
        List<String> operators = new ArrayList<>();
        List<Expression> rights = new ArrayList<>();
        while (true) {
            if (stream.at(Kind.OPERATOR)
                    && COMPARISONS.contains(stream.current().text())) {
                operators.add(stream.next().text());
            } else if (stream.skipName("in")) {
                operators.add("in");
            } else if (stream.atName("not") && stream.following().isName("in")) {
                stream.next();
                stream.next();
                operators.add("not in");
            } else {
                break;
            }
            rights.add(additive());
        }
        return operators.isEmpty() ? first : new Expression.Comparison(from(first), first, operators, rights);
    }

    private boolean atOneOf(Set<String> operators) {
        return stream.at(Kind.OPERATOR) && operators.contains(stream.current().text());
    }

    private Expression additive() {
        Expression left = concat();
        while (atOneOf(ADDITIVE)) {
            String operator = stream.next().text();
            Expression right = concat();
            left = new Expression.Binary(from(left), operator, left, right);
        }
        return left;
    }

    private Expression concat() {
        Expression first = multiplicative();
        if (!stream.at("~")) {
            return first;
        }
        List<Expression> parts = new ArrayList<>(List.of(first));
        while (stream.skip("~")) {
            parts.add(multiplicative());
        }
        return new Expression.Concat(from(first), parts);
    }

    private Expression multiplicative() {
        Expression left = power();
        while (atOneOf(MULTIPLICATIVE)) {
            String operator = stream.next().text();
            Expression right = power();
            left = new Expression.Binary(from(left), operator, left, right);
        }
        return left;
    }

    private Expression power() {
        Expression left = unary(true);
        while (stream.skip("**")) {
            Expression right = unary(true);
            left = new Expression.Binary(from(left), "**", left, right);
        }
        return left;
    }

    private Expression unary(boolean withFilters) {
        Expression value;
        if (stream.at("-") || stream.at("+")) {
            Token sign = stream.next();
            stream.enter();
            Expression operand = unary(false);
            stream.leave();
            value = new Expression.Unary(sign.span().to(operand.span()), sign.text(), operand);
        } else {
            value = primaries.primary();
        }
        value = postfix(value);
        return withFilters ? filters(value) : value;
    }

    private Expression postfix(Expression first) {
        Expression value = first;
        while (true) {
            if (stream.at(".") || stream.at("[")) {
                value = primaries.subscript(value);
            } else if (stream.at("(")) {
                value = primaries.call(value);
            } else {
                return value;
            }
        }
    }

    private Expression filters(Expression first) {
        Expression value = first;
        while (true) {
            if (stream.at("|")) {
                value = filterChain(value);
            } else if (stream.atName("is")) {
                value = test(value);
            } else if (stream.at("(")) {
                value = primaries.call(value);
            } else {
                return value;
            }
        }
    }

    /** The filters from a {@code |} on, applied to a target; null where a block's text is the target. */
    Expression filterChain(@Nullable Expression target) {
        Expression value = target;
        boolean first = target == null && !stream.at("|");
        while (first || stream.skip("|")) {
            first = false;
            Span start = stream.current().span();
            String name = dottedName("the name of a filter");
            CallArguments arguments = stream.at("(") ? primaries.arguments() : CallArguments.NONE;
            Span begin = value == null ? start : value.span();
            value = new Expression.Filtered(begin.to(stream.previous().span()), value, name, arguments);
        }
        if (value == null) {
            throw stream.unexpected("a filter");
        }
        return value;
    }

    private String dottedName(String what) {
        StringBuilder name = new StringBuilder(stream.expect(Kind.NAME, what).text());
        while (stream.skip(".")) {
            name.append('.').append(stream.expect(Kind.NAME, what).text());
        }
        return name.toString();
    }

    private Expression test(Expression target) {
        stream.expectName("is");
        boolean negated = stream.skipName("not");
        String name = dottedName("the name of a test");
        CallArguments arguments = CallArguments.NONE;
        if (stream.at("(")) {
            arguments = primaries.arguments();
        } else if (stream.atName("is")) {
            throw stream.unexpected("no second test: tests cannot be chained with 'is'");
        } else if (atTestArgument()) {
            stream.enter();
            Expression argument = postfix(primaries.primary());
            stream.leave();
            arguments = new CallArguments(List.of(argument), List.of(), List.of(), null, null);
        }
        Expression test = new Expression.Test(from(target), target, name, arguments);
        return negated ? new Expression.Unary(test.span(), "not", test) : test;
    }

    private boolean atTestArgument() {
        return stream.at(Kind.STRING)
                || stream.at(Kind.NUMBER)
                || stream.at("[")
                || stream.at("{")
                || stream.at(Kind.NAME)
                        && !NO_TEST_ARGUMENT.contains(stream.current().text());
    }
}
