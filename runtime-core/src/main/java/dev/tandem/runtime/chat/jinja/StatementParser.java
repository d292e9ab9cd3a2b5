package dev.tandem.runtime.chat.jinja;

import dev.tandem.runtime.chat.jinja.Statement.Branch;
import dev.tandem.runtime.chat.jinja.Statement.Signature;
import dev.tandem.runtime.chat.jinja.Statement.Target;
import dev.tandem.runtime.chat.jinja.Token.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Parses text, tags and blocks. */
final class StatementParser {
    private static final Set<String> OTHER_TEMPLATES = Set.of("include", "import", "from", "extends");

    private final TokenStream stream;
    private final ExpressionParser expressions;
    private final TargetParser targets;
    private int loops;

    StatementParser(List<Token> tokens) {
        stream = new TokenStream(tokens);
        expressions = new ExpressionParser(stream);
        targets = new TargetParser(stream);
    }

    /** The whole template. */
    List<Statement> template() {
        List<Statement> statements = statements(Set.of());
        if (!stream.at(Kind.END)) {
            throw stream.unexpected("the end of the template");
        }
        return statements;
    }

    /** Statements up to a tag with one of the names, whose begin and name have been read then. */
    private List<Statement> statements(Set<String> ends) {
        Span opening = stream.previous().span();
        List<Statement> statements = new ArrayList<>();
        stream.enter();
        while (!stream.at(Kind.END)) {
            Token token = stream.next();
            switch (token.kind()) {
                case DATA -> statements.add(new Statement.Data(token.span(), token.text()));
                case VARIABLE_BEGIN -> {
                    Expression value = expressions.tuple(true, false, "");
                    stream.expect(Kind.VARIABLE_END, "'}}'");
                    statements.add(new Statement.Print(value.span(), value));
                }
                default -> {
                    if (stream.at(Kind.NAME) && ends.contains(stream.current().text())) {
                        stream.leave();
                        return statements;
                    }
                    statements.add(statement());
                }
            }
        }
        if (!ends.isEmpty()) {
            throw TemplateError.syntax(opening, "the block is never closed: no tag " + String.join(" or ", ends));
        }
        stream.leave();
        return statements;
    }

    /** The body of a block up to its end tag, which is read. */
    private List<Statement> body(String end) {
        endTag();
        List<Statement> body = statements(Set.of(end));
        stream.next();
        return body;
    }

    private void endTag() {
        stream.expect(Kind.BLOCK_END, "the end of the tag");
    }

    private Statement statement() {
        Token tag = stream.expect(Kind.NAME, "the name of a tag");
        Span span = tag.span();
        Statement statement = switch (tag.text()) {
            case "if" -> ifBlock(span);
            case "for" -> forBlock(span);
            case "set" -> set(span);
            case "macro" -> macro(span);
            case "call" -> call(span);
            case "filter" -> new Statement.FilterBlock(span, expressions.filterChain(null), body("endfilter"));
            case "with" -> with(span);
            case "generation" -> new Statement.Scoped(span, body("endgeneration"));
            case "block" -> block(span);
            case "autoescape" -> autoescape(span);
            case "print" -> new Statement.Print(span, expressions.tuple(true, false, ""));
            case "do" -> new Statement.Do(span, expressions.tuple(true, false, ""));
            case "break", "continue" -> jump(tag);
            default -> throw unknown(tag);
        };
        endTag();
        return statement;
    }

    private static TemplateError unknown(Token tag) {
        String message = OTHER_TEMPLATES.contains(tag.text())
                ? "'" + tag.text() + "' needs another template, and a model file has none"
                : "there is no tag '" + tag.text() + "' here";
        return TemplateError.syntax(tag.span(), message);
    }

    private Statement jump(Token tag) {
        if (loops == 0) {
            throw TemplateError.syntax(tag.span(), "'" + tag.text() + "' stands outside a loop");
        }
        return tag.isName("break") ? new Statement.Break(tag.span()) : new Statement.Continue(tag.span());
    }

    private Statement ifBlock(Span span) {
        List<Branch> branches = new ArrayList<>();
        List<Statement> otherwise = List.of();
        while (true) {
            Expression test = expressions.tuple(false, false, "");
            endTag();
            branches.add(new Branch(test, statements(Set.of("elif", "else", "endif"))));
            Token end = stream.next();
            if (end.isName("else")) {
                otherwise = body("endif");
            }
            if (!end.isName("elif")) {
                return new Statement.If(span, branches, otherwise);
            }
        }
    }

    private Statement forBlock(Span span) {
        Target target = targets.target(false);
        if (target instanceof Target.Variable variable && variable.name().equals("loop")) {
            throw TemplateError.syntax(span, "a loop cannot assign to 'loop'");
        }
        stream.expectName("in");
        Expression items = expressions.tuple(false, false, "recursive");
        Expression test = stream.skipName("if") ? expressions.expression() : null;
        boolean recursive = stream.skipName("recursive");
        endTag();
        loops++;
        List<Statement> body = statements(Set.of("else", "endfor"));
        loops--;
        List<Statement> otherwise = stream.next().isName("else") ? body("endfor") : List.of();
        return new Statement.For(span, target, items, test, recursive, body, otherwise);
    }

    private Statement set(Span span) {
        Target target = targets.target(true);
        if (stream.skip("=")) {
            return new Statement.Set(span, target, expressions.tuple(true, false, ""));
        }
        Expression filters = stream.at("|") ? expressions.filterChain(null) : null;
        return new Statement.SetBlock(span, target, filters, body("endset"));
    }

    private Statement macro(Span span) {
        String name = stream.expect(Kind.NAME, "the name of the macro").text();
        return withSignature(
                name, "endmacro", (signature, body) -> new Statement.MacroDefinition(span, signature, body));
    }

    private Statement call(Span span) {
        List<String> parameters = new ArrayList<>();
        List<Expression> defaults = new ArrayList<>();
        if (stream.at("(")) {
            parameters(parameters, defaults);
        }
        if (!(expressions.expression() instanceof Expression.Call call)) {
            throw TemplateError.syntax(span, "a call block must call something");
        }
        return withBody(
                "caller",
                parameters,
                defaults,
                "endcall",
                (signature, body) -> new Statement.CallBlock(span, call, signature, body));
    }

    /** Makes a statement of a signature and a body. */
    private interface Maker {
        Statement make(Signature signature, List<Statement> body);
    }

    private Statement withSignature(String name, String end, Maker maker) {
        List<String> parameters = new ArrayList<>();
        List<Expression> defaults = new ArrayList<>();
        parameters(parameters, defaults);
        return withBody(name, parameters, defaults, end, maker);
    }

    private Statement withBody(
            String name, List<String> parameters, List<Expression> defaults, String end, Maker maker) {
        Set<String> read = new HashSet<>();
        Set<String> before = expressions.collectNames(read);
        int outerLoops = loops;
        loops = 0;
        List<Statement> body = body(end);
        loops = outerLoops;
        expressions.collectNames(before);
        read.forEach(expressions::sawName);
        Signature signature = new Signature(
                name,
                parameters,
                defaults,
                read.contains("varargs"),
                read.contains("kwargs"),
                read.contains("caller") && !parameters.contains("caller"));
        return maker.make(signature, body);
    }

    private void parameters(List<String> parameters, List<Expression> defaults) {
        stream.expect("(");
        while (!stream.at(")")) {
            Token name = stream.expect(Kind.NAME, "the name of a parameter");
            if (parameters.contains(name.text())) {
                throw TemplateError.syntax(name.span(), "the parameter '" + name.text() + "' appears twice");
            }
            parameters.add(name.text());
            if (stream.skip("=")) {
                defaults.add(expressions.expression());
            } else if (!defaults.isEmpty()) {
                throw TemplateError.syntax(name.span(), "a parameter without a default follows one with a default");
            }
            if (!stream.skip(",")) {
                break;
            }
        }
        stream.expect(")");
    }

    private Statement with(Span span) {
        List<Target> names = new ArrayList<>();
        List<Expression> values = new ArrayList<>();
        while (!stream.at(Kind.BLOCK_END)) {
            if (!names.isEmpty()) {
                stream.expect(",");
            }
            names.add(targets.single());
            stream.expect("=");
            values.add(expressions.expression());
        }
        return new Statement.With(span, names, values, body("endwith"));
    }

    private Statement block(Span span) {
        String name = stream.expect(Kind.NAME, "the name of the block").text();
        while (stream.skipName("scoped") || stream.skipName("required")) {
            // Both words matter only to templates that extend this one.
        }
        List<Statement> body = body("endblock");
        stream.skipName(name);
        return new Statement.Scoped(span, body);
    }

    private Statement autoescape(Span span) {
        if (!stream.skipName("false") && !stream.skipName("False")) {
            throw TemplateError.syntax(span, "automatic escaping is not supported: a prompt is no HTML");
        }
        return new Statement.Scoped(span, body("endautoescape"));
    }
}
