package dev.tandem.runtime.chat.jinja;

import dev.tandem.runtime.chat.jinja.Expression.CallArguments;
import dev.tandem.runtime.chat.jinja.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses what expressions are made of: names, literals, subscripts and arguments. */
final class Primaries {
    private final TokenStream stream;
    private final ExpressionParser expressions;

    Primaries(TokenStream stream, ExpressionParser expressions) {
        this.stream = stream;
        this.expressions = expressions;
    }

    Expression primary() {
        Token token = stream.current();
        return switch (token.kind()) {
            case NAME -> name(stream.next());
            case NUMBER -> new Expression.Literal(token.span(), stream.next().value());
            case STRING -> string();
            default -> {
                if (stream.at("(")) {
                    yield parenthesised();
                }
                if (stream.at("[")) {
                    yield list();
                }
                if (stream.at("{")) {
                    yield dict();
                }
                throw stream.unexpected("an expression");
            }
        };
    }

    private Expression name(Token token) {
        return switch (token.text()) {
            case "true", "True" -> new Expression.Literal(token.span(), true);
            case "false", "False" -> new Expression.Literal(token.span(), false);
            case "none", "None" -> new Expression.Literal(token.span(), None.NONE);
            default -> {
                expressions.sawName(token.text());
                yield new Expression.Name(token.span(), token.text());
            }
        };
    }

    private Expression string() {
        Token first = stream.next();
        StringBuilder text = new StringBuilder((String) first.value());
        while (stream.at(Kind.STRING)) {
            text.append(stream.next().value());
        }
        return new Expression.Literal(first.span().to(stream.previous().span()), text.toString());
    }

    private Expression parenthesised() {
        stream.expect("(");
        stream.enter();
        Expression inner = expressions.tuple(true, true, "");
        stream.leave();
        stream.expect(")");
        return inner;
    }

    private Expression list() {
        Span start = stream.expect("[").span();
        List<Expression> items = new ArrayList<>();
        while (!stream.at("]")) {
            items.add(expressions.expression());
            if (!stream.skip(",")) {
                break;
            }
        }
        return new Expression.ListLiteral(start.to(stream.expect("]").span()), items);
    }

    private Expression dict() {
        Span start = stream.expect("{").span();
        List<Expression> keys = new ArrayList<>();
        List<Expression> values = new ArrayList<>();
        while (!stream.at("}")) {
            keys.add(expressions.expression());
            stream.expect(":");
            values.add(expressions.expression());
            if (!stream.skip(",")) {
                break;
            }
        }
        return new Expression.DictLiteral(start.to(stream.expect("}").span()), keys, values);
    }

    /** What follows a dot or an opening bracket. */
    Expression subscript(Expression target) {
        if (stream.skip(".")) {
            Token name = stream.next();
            Span span = target.span().to(name.span());
            if (name.kind() == Kind.NAME) {
                return new Expression.Attribute(span, target, name.text());
            }
            if (name.value() instanceof Long) {
                return new Expression.Subscript(span, target, new Expression.Literal(name.span(), name.value()));
            }
            throw TemplateError.syntax(name.span(), "expected a name or a number, got " + name.described());
        }
        Span start = stream.expect("[").span();
        List<Expression> parts = new ArrayList<>();
        do {
            parts.add(indexOrSlice());
        } while (stream.skip(","));
        Span end = stream.expect("]").span();
        Expression index = parts.size() == 1 ? parts.getFirst() : new Expression.TupleLiteral(start.to(end), parts);
        return new Expression.Subscript(target.span().to(end), target, index);
    }

    private Expression indexOrSlice() {
        Span start = stream.current().span();
        Expression from = stream.at(":") ? null : expressions.expression();
        if (from != null && !stream.at(":")) {
            return from;
        }
        stream.expect(":");
        Expression to = atSlicePart() ? expressions.expression() : null;
        Expression step = stream.skip(":") && atSlicePart() ? expressions.expression() : null;
        return new Expression.Slice(start.to(stream.previous().span()), from, to, step);
    }

    private boolean atSlicePart() {
        return !stream.at(":") && !stream.at("]") && !stream.at(",");
    }

    Expression call(Expression target) {
        CallArguments arguments = arguments();
        return new Expression.Call(target.span().to(stream.previous().span()), target, arguments);
    }

    /** Arguments in parentheses. */
    CallArguments arguments() {
        stream.expect("(");
        List<Expression> positional = new ArrayList<>();
        List<String> names = new ArrayList<>();
        List<Expression> values = new ArrayList<>();
        @Nullable Expression star = null;
        @Nullable Expression starStar = null;
        while (!stream.at(")")) {
            Token token = stream.current();
            if (stream.at("**")) {
                refuse(starStar != null, token);
                stream.next();
                starStar = expressions.expression();
            } else if (stream.at("*")) {
                refuse(star != null || starStar != null, token);
                stream.next();
                star = expressions.expression();
            } else if (stream.at(Kind.NAME) && stream.following().isOperator("=")) {
                refuse(starStar != null || names.contains(token.text()), token);
                names.add(stream.next().text());
                stream.next();
                values.add(expressions.expression());
            } else {
                refuse(star != null || starStar != null || !names.isEmpty(), token);
                positional.add(expressions.expression());
            }
            if (!stream.skip(",")) {
                break;
            }
        }
        stream.expect(")");
        return new CallArguments(positional, names, values, star, starStar);
    }

    private void refuse(boolean bad, Token token) {
        if (bad) {
            throw TemplateError.syntax(token.span(), "an argument stands in the wrong place");
        }
    }
}
