package dev.tandem.runtime.grammar;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Strings and numbers. */
final class ScalarRules {
    private static final Set<String> FORMATS = Set.of("date", "time", "date-time", "uuid");
    /** Greatest magnitude of a bounded number: sixteen digits. */
    private static final long MOST = 9_999_999_999_999_999L;

    private ScalarRules() {}

    static Expression string(SchemaNode node) {
        boolean counted = node.has("minLength") || node.has("maxLength");
        if (node.has("pattern") && node.has("format") || counted && (node.has("pattern") || node.has("format"))) {
            throw node.refusal(
                    node.pointer(), "has more than one of lengths, pattern and format, which is not supported");
        }
        if (node.has("format")) {
            String format = node.string("format");
            if (!FORMATS.contains(format)) {
                throw node.refusal(node.at("format"), "is '" + format + "', which is not supported");
            }
            return JsonText.quoted(JsonText.reference(format));
        }
        if (node.has("pattern")) {
            return JsonText.quoted(PatternParser.parse(
                    node.string("pattern"),
                    problem -> node.refusal(node.at("pattern"), "is not supported: " + problem)));
        }
        if (!counted) {
            return JsonText.reference("string");
        }
        int least = node.count("minLength").orElse(0);
        int most = node.count("maxLength").orElse(Expression.Repeat.UNBOUNDED);
        if (most != Expression.Repeat.UNBOUNDED && most < least) {
            throw node.refusal(node.pointer(), "wants at least " + least + " and at most " + most + " characters");
        }
        return JsonText.quoted(new Expression.Repeat(JsonText.reference("char"), least, most));
    }

    static Expression integer(SchemaNode node) {
        if (isFree(node)) {
            return JsonText.reference("integer");
        }
        return IntegerRange.of(least(node), greatest(node)).orElseThrow(() -> tooNarrow(node));
    }

    /** Whole numbers of the range, and those with a fraction whose whole part lies so that no bound is touched. */
    static Expression number(SchemaNode node) {
        if (isFree(node)) {
            return JsonText.reference("number");
        }
        long low = bound(node.number("minimum"), node.number("exclusiveMinimum"), RoundingMode.CEILING, -MOST, node);
        long high = bound(node.number("maximum"), node.number("exclusiveMaximum"), RoundingMode.FLOOR, MOST, node);
        Expression fraction = JsonText.reference("fraction");
        List<Expression> options = new ArrayList<>();
        IntegerRange.of(least(node), greatest(node)).ifPresent(options::add);
        IntegerRange.magnitudes(Math.max(0, low), high - 1)
                .ifPresent(whole -> options.add(Expression.sequence(whole, fraction)));
        IntegerRange.magnitudes(Math.max(0, -high), -low - 1)
                .ifPresent(whole -> options.add(Expression.sequence(Expression.text("-"), whole, fraction)));
        if (options.isEmpty()) {
            throw tooNarrow(node);
        }
        return new Expression.Choice(options);
    }

    private static boolean isFree(SchemaNode node) {
        return !node.has("minimum")
                && !node.has("maximum")
                && !node.has("exclusiveMinimum")
                && !node.has("exclusiveMaximum");
    }

    /** The least whole number. */
    private static long least(SchemaNode node) {
        long least = bound(node.number("minimum"), Optional.empty(), RoundingMode.CEILING, -MOST, node);
        long above = bound(node.number("exclusiveMinimum"), Optional.empty(), RoundingMode.FLOOR, -MOST - 1, node);
        return Math.max(least, above + 1);
    }

    /** The greatest whole number. */
    private static long greatest(SchemaNode node) {
        long greatest = bound(node.number("maximum"), Optional.empty(), RoundingMode.FLOOR, MOST, node);
        long below = bound(node.number("exclusiveMaximum"), Optional.empty(), RoundingMode.CEILING, MOST + 1, node);
        return Math.min(greatest, below - 1);
    }

    /** The narrower of two bounds as a whole number; the widest where there is none. */
    private static long bound(
            Optional<BigDecimal> one, Optional<BigDecimal> other, RoundingMode mode, long widest, SchemaNode node) {
        long narrow = widest;
        for (Optional<BigDecimal> given : List.of(one, other)) {
            if (given.isPresent()) {
                if (given.get().abs().compareTo(BigDecimal.valueOf(MOST)) > 0) {
                    throw node.refusal(node.pointer(), "has a bound of more than sixteen digits");
                }
                long whole = given.get().setScale(0, mode).longValueExact();
                narrow = widest < 0 ? Math.max(narrow, whole) : Math.min(narrow, whole);
            }
        }
        return narrow;
    }

    private static RuntimeException tooNarrow(SchemaNode node) {
        return node.refusal(node.pointer(), "has bounds between which no number can be written");
    }
}
