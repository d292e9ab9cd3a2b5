package dev.tandem.runtime.chat.jinja;

import dev.tandem.runtime.chat.jinja.Token.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Cuts a template into tokens, in one pass.
 *
 * <p>Whitespace is controlled as with {@code trim_blocks} and {@code lstrip_blocks}: the newline after a block or a
 * comment goes, and so does the indentation before it; {@code -} strips more and {@code +} strips nothing.
 */
final class Lexer {
    private static final List<String> OPERATORS = List.of(
            "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<",
            "=", ".", ":", "|", ",", ";");

    private final String source;
    private final List<Token> tokens = new ArrayList<>();
    private final Deque<String> open = new ArrayDeque<>();
    private int at;

    private Lexer(String source) {
        this.source = source;
    }

    /** The tokens of a source whose lines end in {@code \n}; the last token is {@link Kind#END}. */
    static List<Token> tokens(String source) {
        Lexer lexer = new Lexer(source);
        while (lexer.at < source.length()) {
            lexer.dataAndTag();
        }
        lexer.add(Kind.END, "", lexer.at);
        return lexer.tokens;
    }

    private void dataAndTag() {
        int tag = nextTag();
        char type = tag < source.length() ? source.charAt(tag + 1) : ' ';
        int inner = tag + 2;
        char sign = signAt(inner);
        int from = at;
        at = tag;
        addData(source.substring(from, dataEnd(from, tag, type, sign)), from);
        if (tag == source.length()) {
            return;
        }
        at = sign == ' ' ? inner : inner + 1;
        switch (type) {
            case '#' -> comment(tag);
            case '{' -> tag(tag, Kind.VARIABLE_BEGIN);
            default -> {
                if (!raw(tag)) {
                    tag(tag, Kind.BLOCK_BEGIN);
                }
            }
        }
    }

    private int nextTag() {
        int brace = source.indexOf('{', at);
        while (brace >= 0 && brace + 1 < source.length()) {
            if ("%{#".indexOf(source.charAt(brace + 1)) >= 0) {
                return brace;
            }
            brace = source.indexOf('{', brace + 1);
        }
        return source.length();
    }

    private char signAt(int index) {
        char c = index < source.length() ? source.charAt(index) : ' ';
        return c == '-' || c == '+' ? c : ' ';
    }

    /** Where text that runs up to a tag ends, once the whitespace that the tag eats is gone. */
    private int dataEnd(int from, int tag, char type, char sign) {
        if (tag == source.length()) {
            return tag;
        }
        int end = tag;
        if (sign == '-') {
            while (end > from && Chars.isSpace(source.charAt(end - 1))) {
                end--;
            }
            return end;
        }
        if (sign == '+' || type == '{') {
            return tag;
        }
        while (end > from && source.charAt(end - 1) != '\n' && Chars.isSpace(source.charAt(end - 1))) {
            end--;
        }
        boolean lineStart = end == 0 || source.charAt(end - 1) == '\n';
        return lineStart ? end : tag;
    }

    private void addData(String text, int from) {
        if (!text.isEmpty()) {
            tokens.add(new Token(Kind.DATA, text, text, new Span(from, from + text.length())));
        }
    }

    private void comment(int tag) {
        int end = source.indexOf("#}", at);
        if (end < 0) {
            throw TemplateError.syntax(new Span(tag, tag + 2), "the comment is never closed with '#}'");
        }
        char sign = end > at ? signAt(end - 1) : ' ';
        at = end + 2;
        eatAfter(sign, true);
    }

    private void eatAfter(char sign, boolean block) {
        if (sign == '-') {
            skipSpace();
        } else if (block && sign == ' ' && at < source.length() && source.charAt(at) == '\n') {
            at++;
        }
    }

    private void skipSpace() {
        while (at < source.length() && Chars.isSpace(source.charAt(at))) {
            at++;
        }
    }

    /** Takes a raw block whole; {@code at} stands behind the tag's begin. */
    private boolean raw(int tag) {
        int begin = at;
        int afterWord = skipWord(begin, "raw");
        if (afterWord < 0) {
            return false;
        }
        boolean minus = source.startsWith("-%}", afterWord);
        if (!minus && !source.startsWith("%}", afterWord)) {
            return false;
        }
        at = afterWord + (minus ? 3 : 2);
        if (minus) {
            skipSpace();
        }
        int from = at;
        for (int end = source.indexOf("{%", at); end >= 0; end = source.indexOf("{%", end + 2)) {
            char sign = signAt(end + 2);
            int afterEnd = skipWord(sign == ' ' ? end + 2 : end + 3, "endraw");
            char endSign = afterEnd < 0 ? ' ' : signAt(afterEnd);
            int close = endSign == ' ' ? afterEnd : afterEnd + 1;
            if (afterEnd >= 0 && source.startsWith("%}", close)) {
                addData(source.substring(from, dataEnd(from, end, '%', sign)), from);
                at = close + 2;
                eatAfter(endSign, true);
                return true;
            }
        }
        throw TemplateError.syntax(new Span(tag, at), "the raw block is never closed with 'endraw'");
    }

    /** The place behind a word with whitespace around it; negative where something else stands there. */
    private int skipWord(int from, String word) {
        int i = from;
        while (i < source.length() && Chars.isSpace(source.charAt(i))) {
            i++;
        }
        if (!source.startsWith(word, i)) {
            return -1;
        }
        i += word.length();
        while (i < source.length() && Chars.isSpace(source.charAt(i))) {
            i++;
        }
        return i;
    }

    private void tag(int start, Kind begin) {
        tokens.add(new Token(begin, source.substring(start, start + 2), "", new Span(start, start + 2)));
        boolean block = begin == Kind.BLOCK_BEGIN;
        String close = block ? "%}" : "}}";
        open.clear();
        while (true) {
            skipSpace();
            if (at >= source.length()) {
                throw TemplateError.syntax(new Span(start, start + 2), "the tag is never closed with '" + close + "'");
            }
            char sign = signAt(at);
            boolean signed = sign == '-' || block && sign == '+';
            if (open.isEmpty() && source.startsWith(close, signed ? at + 1 : at)) {
                int from = at;
                at += signed ? 3 : 2;
                add(block ? Kind.BLOCK_END : Kind.VARIABLE_END, close, from);
                eatAfter(signed ? sign : ' ', block);
                return;
            }
            token();
        }
    }

    private void token() {
        char c = source.charAt(at);
        int from = at;
        if (Chars.isDigit(c)) {
            Literals.Read read = Literals.number(source, at, at > 0 && source.charAt(at - 1) == '.');
            at = read.end();
            tokens.add(new Token(Kind.NUMBER, source.substring(from, at), read.value(), new Span(from, at)));
        } else if (c == '\'' || c == '"') {
            Literals.Read read = Literals.string(source, at);
            at = read.end();
            tokens.add(new Token(Kind.STRING, source.substring(from, at), read.value(), new Span(from, at)));
        } else if (Character.isUnicodeIdentifierStart(source.codePointAt(at)) || c == '_') {
            while (at < source.length() && Chars.isWord(source.codePointAt(at))) {
                at += Character.charCount(source.codePointAt(at));
            }
            add(Kind.NAME, source.substring(from, at), from);
        } else {
            operator();
        }
    }

    private void operator() {
        for (String operator : OPERATORS) {
            if (source.startsWith(operator, at)) {
                balance(operator);
                at += operator.length();
                add(Kind.OPERATOR, operator, at - operator.length());
                return;
            }
        }
        int end = source.offsetByCodePoints(at, 1);
        throw TemplateError.syntax(
                new Span(at, end), "unexpected character '" + source.substring(at, end) + "' in a tag");
    }

    private void balance(String operator) {
        switch (operator) {
            case "(" -> open.push(")");
            case "[" -> open.push("]");
            case "{" -> open.push("}");
            case ")", "]", "}" -> {
                if (open.isEmpty() || !open.pop().equals(operator)) {
                    throw TemplateError.syntax(new Span(at, at + 1), "unexpected '" + operator + "'");
                }
            }
            default -> {}
        }
    }

    private void add(Kind kind, String text, int from) {
        tokens.add(new Token(kind, text, text, new Span(from, at)));
    }
}
