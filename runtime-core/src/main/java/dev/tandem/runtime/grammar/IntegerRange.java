package dev.tandem.runtime.grammar;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whole numbers of a range as decimal digits without leading zeros. */
final class IntegerRange {
    private IntegerRange() {}

    /** The texts of all numbers from one to another; empty where there are none. */
    static Optional<Expression> of(long least, long greatest) {
        List<Expression> options = new ArrayList<>();
        if (least < 0) {
            magnitudes(Math.max(1, -greatest), -least)
                    .ifPresent(digits -> options.add(Expression.sequence(Expression.text("-"), digits)));
        }
        magnitudes(Math.max(0, least), greatest).ifPresent(options::add);
        return options.isEmpty() ? Optional.empty() : Optional.of(new Expression.Choice(options));
    }

    /** The texts of numbers that are not negative. */
    static Optional<Expression> magnitudes(long least, long greatest) {
        if (least > greatest) {
            return Optional.empty();
        }
        List<Expression> options = new ArrayList<>();
        String last = Long.toString(greatest);
        String first = Long.toString(least);
        for (int digits = first.length(); digits <= last.length(); digits++) {
            String low = digits == first.length() ? first : "1" + "0".repeat(digits - 1);
            String high = digits == last.length() ? last : "9".repeat(digits);
            options.add(between(low, high));
        }
        return Optional.of(new Expression.Choice(options));
    }

    /** Texts of as many digits as both bounds have. */
    private static Expression between(String low, String high) {
        int rest = low.length() - 1;
        if (rest < 0) {
            return Expression.EMPTY;
        }
        if (low.equals("0".repeat(rest + 1)) && high.equals("9".repeat(rest + 1))) {
            return anyDigits(rest + 1);
        }
        char a = low.charAt(0);
        char b = high.charAt(0);
        if (a == b) {
            return Expression.sequence(digit(a, a), between(low.substring(1), high.substring(1)));
        }
        List<Expression> options = new ArrayList<>();
        options.add(Expression.sequence(digit(a, a), between(low.substring(1), "9".repeat(rest))));
        if (b - a > 1) {
            options.add(Expression.sequence(digit((char) (a + 1), (char) (b - 1)), anyDigits(rest)));
        }
        options.add(Expression.sequence(digit(b, b), between("0".repeat(rest), high.substring(1))));
        return new Expression.Choice(options);
    }

    private static Expression anyDigits(int count) {
        return new Expression.Repeat(digit('0', '9'), count, count);
    }

    private static Expression digit(char first, char last) {
        return new Expression.Characters(CodePointRanges.of(first, last));
    }
}
