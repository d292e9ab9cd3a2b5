package dev.tandem.runtime.chat.jinja;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** Whole and real numbers with Python's arithmetic: a whole number is as long as it needs to be, up to a bound. */
final class Numbers {
    private static final int MOST_BITS = 4096;
    private static final BigInteger LEAST = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger GREATEST = BigInteger.valueOf(Long.MAX_VALUE);

    private Numbers() {}

    /** The value of a whole number. */
    static Object integer(BigInteger integer) {
        if (integer.bitLength() > MOST_BITS) {
            throw TemplateError.limit("a whole number has more than " + MOST_BITS + " bits");
        }
        boolean fits = integer.compareTo(LEAST) >= 0 && integer.compareTo(GREATEST) <= 0;
        return fits ? (Object) integer.longValue() : integer;
    }

    static boolean isNumber(Object value) {
        return value instanceof Double || isInteger(value);
    }

    /** Whether it counts as a whole number; flags do. */
    static boolean isInteger(Object value) {
        return value instanceof Long || value instanceof Boolean || value instanceof BigInteger;
    }

    static double real(Object number) {
        return switch (number) {
            case Double real -> real;
            case Long integer -> integer;
            case Boolean flag -> flag ? 1 : 0;
            case BigInteger integer -> {
                double real = integer.doubleValue();
                if (Double.isInfinite(real)) {
                    throw TemplateError.runtime("a whole number is too large for a real one");
                }
                yield real;
            }
            default -> throw TemplateError.runtime("a number is needed, not a " + Values.typeName(number));
        };
    }

    static BigInteger big(Object integer) {
        return integer instanceof BigInteger big ? big : BigInteger.valueOf(small(integer));
    }

    /** A whole number that fits a long. */
    static long small(Object value) {
        return switch (value) {
            case Long integer -> integer;
            case Boolean flag -> flag ? 1 : 0;
            case BigInteger integer -> integer.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
            case Undefined undefined -> throw undefined.error();
            default -> throw TemplateError.runtime("a whole number is needed, not a " + Values.typeName(value));
        };
    }

    static boolean isWhole(double real) {
        return !Double.isInfinite(real) && Math.rint(real) == real;
    }

    static Object truncate(double real) {
        if (Double.isNaN(real) || Double.isInfinite(real)) {
            throw TemplateError.runtime("cannot make a whole number of " + Text.of(real));
        }
        return integer(new BigDecimal(real).toBigInteger());
    }

    /** Compares two numbers exactly; NaN must be excluded before. */
    static int compare(Object left, Object right) {
        if (left instanceof Long a && right instanceof Long b) {
            return Long.compare(a, b);
        }
        if (left instanceof Double a && right instanceof Double b) {
            return a < b ? -1 : a > b ? 1 : 0;
        }
        if (isInfinite(left) || isInfinite(right)) {
            return Double.compare(infinityOr0(left), infinityOr0(right));
        }
        return decimal(left).compareTo(decimal(right));
    }

    private static boolean isInfinite(Object number) {
        return number instanceof Double real && Double.isInfinite(real);
    }

    private static double infinityOr0(Object number) {
        return number instanceof Double real && Double.isInfinite(real) ? real : 0;
    }

    private static BigDecimal decimal(Object number) {
        return number instanceof Double real ? new BigDecimal(real) : new BigDecimal(big(number));
    }

    static boolean isNan(Object value) {
        return value instanceof Double real && real.isNaN();
    }

    /** Python's {@code round} of a real number: exact, and halves go to the even neighbour. */
    static double round(double value, int digits) {
        if (Double.isNaN(value) || Double.isInfinite(value) || Math.abs(digits) > 400) {
            return digits < -400 ? 0 : value;
        }
        return new BigDecimal(value).setScale(digits, RoundingMode.HALF_EVEN).doubleValue();
    }
}
