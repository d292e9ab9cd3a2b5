package dev.tandem.runtime.grammar;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads grammars in GBNF.
 *
 * <p>A rule is {@code name ::= alternatives}, alternatives have {@code |} between them and are sequences of: a literal in
 * quotation marks, a class {@code [a-z]} or {@code [^a-z]}, {@code .} for any character, a rule's name, and a group in
 * parentheses; each perhaps followed by {@code *}, {@code +}, {@code ?}, {@code {n}}, {@code {n,}}, {@code {,m}} or
 * {@code {n,m}}. Escapes are {@code \n \r \t \\ \" \[ \] \- \^ \xHH \}{@code uHHHH \UHHHHHHHH}, all of them characters and
 * not bytes. {@code #} begins a comment. A rule ends with its line, except in parentheses, behind {@code ::=} and around
 * {@code |}.
 */
final class GbnfParser {
    private static final int MOST_RULES = 5000;
    /** Groups in each other. */
    private static final int MOST_NESTING = 100;

    private final GbnfScanner scanner;
    private int nesting;

    private GbnfParser(String text, String source) {
        this.scanner = new GbnfScanner(text, source);
    }

    /**
     * Reads all rules.
     *
     * @param source for messages, such as the name of the file
     * @throws dev.tandem.spi.UsageException naming the line
     */
    static Map<String, Rule> parse(String text, String source) {
        return new GbnfParser(text, source).rules();
    }

    private Map<String, Rule> rules() {
        Map<String, Rule> rules = new LinkedHashMap<>();
        scanner.skipBlanks(true);
        while (!scanner.atEnd()) {
            Rule rule = rule();
            if (rules.size() == MOST_RULES) {
                throw rule.refusal("comes after " + MOST_RULES + " others, which is too many", "Use fewer rules.");
            }
            Rule before = rules.putIfAbsent(rule.name(), rule);
            if (before != null) {
                throw rule.refusal("is defined before, in " + before.where(), "Give it one definition.");
            }
            scanner.skipBlanks(true);
        }
        return rules;
    }

    private Rule rule() {
        String where = scanner.where();
        String name = scanner.name();
        if (name.isEmpty()) {
            throw scanner.refusal("a rule's name was expected, not " + scanner.here());
        }
        scanner.skipBlanks(false);
        scanner.require("::=", "behind the name '" + name + "'");
        scanner.skipBlanks(true);
        Expression expression = alternatives();
        if (!scanner.atEnd() && scanner.peek() != '\n') {
            throw scanner.refusal("unexpected " + scanner.here());
        }
        return new Rule(name, where, expression);
    }

    private Expression alternatives() {
        List<Expression> options = new ArrayList<>();
        do {
            options.add(sequence());
            if (nesting == 0) {
                scanner.joinLinesBefore('|');
            }
        } while (skipBar());
        return options.size() == 1 ? options.getFirst() : new Expression.Choice(options);
    }

    private boolean skipBar() {
        boolean bar = scanner.skip("|");
        if (bar) {
            scanner.skipBlanks(true);
        }
        return bar;
    }

    private Expression sequence() {
        List<Expression> parts = new ArrayList<>();
        while (startsPart(scanner.peek())) {
            parts.add(repeated(part()));
            scanner.skipBlanks(nesting > 0);
        }
        return parts.size() == 1 ? parts.getFirst() : new Expression.Sequence(parts);
    }

    private static boolean startsPart(char c) {
        return c != '\n' && c != '|' && c != ')';
    }

    private Expression part() {
        if (scanner.skip("\"")) {
            return literal();
        }
        if (scanner.skip("[")) {
            return characterClass();
        }
        if (scanner.skip(".")) {
            return new Expression.Characters(CodePointRanges.ALL);
        }
        if (scanner.skip("(")) {
            return group();
        }
        String name = scanner.name();
        if (name.isEmpty()) {
            throw scanner.refusal("unexpected " + scanner.here());
        }
        return new Expression.Reference(name);
    }

    private Expression group() {
        if (++nesting > MOST_NESTING) {
            throw scanner.refusal("more than " + MOST_NESTING + " groups in each other");
        }
        scanner.skipBlanks(true);
        Expression inner = alternatives();
        scanner.require(")", "at the end of a group");
        nesting--;
        return inner;
    }

    private Expression literal() {
        StringBuilder text = new StringBuilder();
        while (!scanner.skip("\"")) {
            text.appendCodePoint(scanner.character('"'));
        }
        return Expression.text(text.toString());
    }

    private Expression characterClass() {
        boolean negated = scanner.skip("^");
        List<CodePointRanges.Range> ranges = new ArrayList<>();
        while (!scanner.skip("]")) {
            int first = scanner.character(']');
            int last = first;
            if (scanner.skip("-")) {
                if (scanner.peek() == ']') {
                    ranges.add(new CodePointRanges.Range('-', '-'));
                } else {
                    last = scanner.character(']');
                }
            }
            if (last < first) {
                throw scanner.refusal("a range of characters runs backwards");
            }
            ranges.add(new CodePointRanges.Range(first, last));
        }
        CodePointRanges listed = CodePointRanges.union(ranges);
        CodePointRanges set = negated ? listed.complement() : listed;
        if (set.isEmpty()) {
            throw scanner.refusal("a class without characters matches nothing");
        }
        return new Expression.Characters(set);
    }

    private Expression repeated(Expression part) {
        Expression result = part;
        if (scanner.skip("*")) {
            result = new Expression.Repeat(part, 0, Expression.Repeat.UNBOUNDED);
        } else if (scanner.skip("+")) {
            result = new Expression.Repeat(part, 1, Expression.Repeat.UNBOUNDED);
        } else if (scanner.skip("?")) {
            result = new Expression.Repeat(part, 0, 1);
        } else if (scanner.skip("{")) {
            result = bounded(part);
        }
        return result;
    }

    private Expression bounded(Expression body) {
        scanner.skipBlanks(false);
        int least = scanner.peek() == ',' ? 0 : scanner.count();
        scanner.skipBlanks(false);
        int most = least;
        if (scanner.skip(",")) {
            scanner.skipBlanks(false);
            most = scanner.atDigit() ? scanner.count() : Expression.Repeat.UNBOUNDED;
            scanner.skipBlanks(false);
        }
        scanner.require("}", "at the end of a repetition");
        if (most != Expression.Repeat.UNBOUNDED && most < least) {
            throw scanner.refusal("a repetition of at least " + least + " and at most " + most);
        }
        return new Expression.Repeat(body, least, most);
    }
}
