package dev.tandem.runtime.chat.jinja;

import dev.tandem.runtime.chat.jinja.Token.Kind;
import java.util.List;

/** A place in a list of tokens, and how deep a parser has gone there. */
final class TokenStream {
    private static final int MOST_DEPTH = 100;

    private final List<Token> tokens;
    private int at;
    private int depth;

    TokenStream(List<Token> tokens) {
        this.tokens = tokens;
    }

    Token current() {
        return tokens.get(at);
    }

    Token following() {
        return tokens.get(Math.min(at + 1, tokens.size() - 1));
    }

    /** The token before the current one; the current one at the beginning. */
    Token previous() {
        return tokens.get(Math.max(0, at - 1));
    }

    Token next() {
        Token token = tokens.get(at);
        if (token.kind() != Kind.END) {
            at++;
        }
        return token;
    }

    boolean at(String operator) {
        return current().isOperator(operator);
    }

    boolean atName(String name) {
        return current().isName(name);
    }

    boolean at(Kind kind) {
        return current().kind() == kind;
    }

    boolean skip(String operator) {
        boolean found = at(operator);
        if (found) {
            next();
        }
        return found;
    }

    boolean skipName(String name) {
        boolean found = atName(name);
        if (found) {
            next();
        }
        return found;
    }

    Token expect(String operator) {
        if (!at(operator)) {
            throw unexpected("'" + operator + "'");
        }
        return next();
    }

    Token expectName(String name) {
        if (!atName(name)) {
            throw unexpected("'" + name + "'");
        }
        return next();
    }

    Token expect(Kind kind, String what) {
        if (!at(kind)) {
            throw unexpected(what);
        }
        return next();
    }

    TemplateError unexpected(String wanted) {
        return TemplateError.syntax(
                current().span(), "expected " + wanted + ", got " + current().described());
    }

    /** Goes one level down; {@link #leave} comes back. */
    void enter() {
        if (++depth > MOST_DEPTH) {
            throw TemplateError.syntax(current().span(), "nested more than " + MOST_DEPTH + " levels deep");
        }
    }

    void leave() {
        depth--;
    }
}
