package dev.tandem.runtime.grammar;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Reads the regular expressions of JSON schemas, those parts that a grammar can say.
 *
 * <p>Characters, escapes ({@code \d \w \s \D \W \S \n \r \t \f \v \}{@code uHHHH} and those of punctuation), {@code .},
 * classes, groups {@code (…)} and {@code (?:…)}, {@code |}, and {@code * + ? {n} {n,} {n,m}}. {@code ^} may stand at the
 * very beginning and {@code $} at the very end; without them anything may stand there. Not: look-around, back references,
 * word boundaries, lazy and possessive repetition, named groups.
 */
final class PatternParser {
    private static final int MOST_NESTING = 100;
    private static final int MOST_REPETITIONS = 10_000;
    private static final CodePointRanges DIGITS = CodePointRanges.of('0', '9');
    private static final CodePointRanges SPACES = CodePointRanges.anyOf(" \t\n\r\f\u000b\u00a0\ufeff\u2028\u2029");
    private static final CodePointRanges WORD = DIGITS.or(CodePointRanges.of('a', 'z'))
            .or(CodePointRanges.of('A', 'Z'))
            .or(CodePointRanges.anyOf("_"));

    private final String pattern;
    private final Function<String, RuntimeException> refusal;
    private int at;
    private int nesting;

    private PatternParser(String pattern, Function<String, RuntimeException> refusal) {
        this.pattern = pattern;
        this.refusal = refusal;
    }

    /**
     * Reads a pattern.
     *
     * @param refusal makes the error of a problem
     * @return the inside of the JSON strings in which it is found
     */
    static Expression parse(String pattern, Function<String, RuntimeException> refusal) {
        return new PatternParser(pattern, refusal).whole();
    }

    private Expression whole() {
        Expression anything = new Expression.Repeat(JsonText.reference("char"), 0, Expression.Repeat.UNBOUNDED);
        boolean begins = skip('^');
        Expression inner = alternatives();
        boolean ends = skip('$');
        if (at < pattern.length()) {
            throw refusal.apply("unexpected '" + pattern.charAt(at) + "'");
        }
        if ((begins || ends) && inner instanceof Expression.Choice) {
            throw refusal.apply("'^' or '$' beside '|' needs a group around the alternatives");
        }
        return Expression.sequence(begins ? Expression.EMPTY : anything, inner, ends ? Expression.EMPTY : anything);
    }

    private Expression alternatives() {
        List<Expression> options = new ArrayList<>();
        do {
            List<Expression> parts = new ArrayList<>();
            while (at < pattern.length() && "|)$".indexOf(pattern.charAt(at)) < 0) {
                parts.add(repeated(part()));
            }
            options.add(new Expression.Sequence(parts));
        } while (skip('|'));
        return options.size() == 1 ? options.getFirst() : new Expression.Choice(options);
    }

    private Expression part() {
        if (skip('(')) {
            return group();
        }
        if (skip('[')) {
            return JsonText.character(characterClass());
        }
        if (skip('.')) {
            return JsonText.character(CodePointRanges.anyOf("\n\r\u2028\u2029").complement());
        }
        if ("*+?{}^])".indexOf(pattern.charAt(at)) >= 0) {
            throw refusal.apply("unexpected '" + pattern.charAt(at) + "'");
        }
        return JsonText.character(set());
    }

    private Expression group() {
        if (++nesting > MOST_NESTING) {
            throw refusal.apply("more than " + MOST_NESTING + " groups in each other");
        }
        if (skip('?') && !skip(':')) {
            throw refusal.apply("'(?' with anything but ':' is not supported");
        }
        Expression inner = alternatives();
        require(')');
        nesting--;
        // A sequence of one keeps the alternatives apart from what stands beside the group.
        return Expression.sequence(inner);
    }

    private CodePointRanges characterClass() {
        boolean negated = skip('^');
        CodePointRanges all = new CodePointRanges(List.of());
        while (!skip(']')) {
            CodePointRanges first = set();
            boolean range = at + 1 < pattern.length() && pattern.charAt(at) == '-' && pattern.charAt(at + 1) != ']';
            all = all.or(range ? range(first) : first);
        }
        CodePointRanges result = negated ? all.complement() : all;
        if (result.isEmpty()) {
            throw refusal.apply("a class without characters matches nothing");
        }
        return result;
    }

    private CodePointRanges range(CodePointRanges first) {
        require('-');
        int low = single(first);
        int high = single(set());
        if (high < low) {
            throw refusal.apply("a range of characters runs backwards");
        }
        return CodePointRanges.of(low, high);
    }

    private int single(CodePointRanges set) {
        CodePointRanges.Range range = set.ranges().getFirst();
        if (set.ranges().size() > 1 || range.first() != range.last()) {
            throw refusal.apply("a range of characters needs single characters");
        }
        return range.first();
    }

    /** A character, or what an escape stands for. */
    private CodePointRanges set() {
        int c = take();
        if (c != '\\') {
            return one(c);
        }
        int escaped = take();
        return switch (escaped) {
            case 'd' -> DIGITS;
            case 'D' -> DIGITS.complement();
            case 'w' -> WORD;
            case 'W' -> WORD.complement();
            case 's' -> SPACES;
            case 'S' -> SPACES.complement();
            case 'n' -> one('\n');
            case 'r' -> one('\r');
            case 't' -> one('\t');
            case 'f' -> one('\f');
            case 'v' -> one('\u000b');
            case 'u' -> one(hexadecimal());
            default -> {
                if (Character.isLetterOrDigit(escaped)) {
                    throw refusal.apply("'\\" + Character.toString(escaped) + "' is not supported");
                }
                yield one(escaped);
            }
        };
    }

    private CodePointRanges one(int c) {
        CodePointRanges set = CodePointRanges.of(c, c);
        if (set.isEmpty()) {
            throw refusal.apply("a lone surrogate is no character");
        }
        return set;
    }

    private int hexadecimal() {
        int end = at + 4;
        if (end > pattern.length() || !pattern.substring(at, end).matches("[0-9a-fA-F]{4}")) {
            throw refusal.apply("'\\u' needs 4 hexadecimal digits");
        }
        int value = Integer.parseInt(pattern.substring(at, end), 16);
        at = end;
        return value;
    }

    private Expression repeated(Expression part) {
        Expression result = part;
        if (skip('*')) {
            result = new Expression.Repeat(part, 0, Expression.Repeat.UNBOUNDED);
        } else if (skip('+')) {
            result = new Expression.Repeat(part, 1, Expression.Repeat.UNBOUNDED);
        } else if (skip('?')) {
            result = new Expression.Repeat(part, 0, 1);
        } else if (skip('{')) {
            int least = count();
            boolean open = skip(',');
            boolean bounded = at < pattern.length() && pattern.charAt(at) != '}';
            int most = open ? bounded ? count() : Expression.Repeat.UNBOUNDED : least;
            require('}');
            if (most != Expression.Repeat.UNBOUNDED && most < least) {
                throw refusal.apply("a repetition of at least " + least + " and at most " + most);
            }
            result = new Expression.Repeat(part, least, most);
        }
        if (at < pattern.length() && "*+?{".indexOf(pattern.charAt(at)) >= 0) {
            throw refusal.apply("unexpected '" + pattern.charAt(at) + "' behind a part or its repetition");
        }
        return result;
    }

    private int count() {
        int value = 0;
        int from = at;
        while (at < pattern.length() && DIGITS.contains(pattern.charAt(at)) && value <= MOST_REPETITIONS) {
            value = 10 * value + (pattern.charAt(at++) - '0');
        }
        if (at == from || value > MOST_REPETITIONS) {
            throw refusal.apply("a repetition needs numbers up to " + MOST_REPETITIONS);
        }
        return value;
    }

    private int take() {
        if (at == pattern.length()) {
            throw refusal.apply("it ends too early");
        }
        int c = pattern.codePointAt(at);
        at += Character.charCount(c);
        return c;
    }

    private boolean skip(char c) {
        boolean here = at < pattern.length() && pattern.charAt(at) == c;
        at += here ? 1 : 0;
        return here;
    }

    private void require(char c) {
        if (!skip(c)) {
            throw refusal.apply("'" + c + "' is missing");
        }
    }
}
