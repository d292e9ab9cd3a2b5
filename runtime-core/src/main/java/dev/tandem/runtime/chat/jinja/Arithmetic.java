package dev.tandem.runtime.chat.jinja;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** The arithmetic operators, which join and repeat sequences as well. */
final class Arithmetic {
    private static final int MOST_BITS = 4096;

    private Arithmetic() {}

    static Object unary(String operator, Object value) {
        return switch (value) {
            case Double real -> operator.equals("-") ? -real : real;
            case Undefined undefined -> throw undefined.error();
            default -> {
                if (!Numbers.isInteger(value)) {
                    throw TemplateError.runtime("'" + operator + "' cannot be applied to a " + Values.typeName(value));
                }
                BigInteger integer = Numbers.big(value);
                yield Numbers.integer(operator.equals("-") ? integer.negate() : integer);
            }
        };
    }

    static Object binary(Run run, String operator, Object left, Object right) {
        if (operator.equals("%") && left instanceof String template) {
            return PercentFormat.format(run, template, right);
        }
        if (Numbers.isNumber(left) && Numbers.isNumber(right)) {
            return left instanceof Double || right instanceof Double || operator.equals("/")
                    ? real(operator, Numbers.real(left), Numbers.real(right))
                    : whole(operator, left, right);
        }
        if (left instanceof Undefined undefined) {
            throw undefined.error();
        }
        if (right instanceof Undefined undefined) {
            throw undefined.error();
        }
        return switch (operator) {
            case "+" -> joined(run, left, right);
            case "*" -> Numbers.isInteger(left) ? repeated(run, right, left) : repeated(run, left, right);
            default -> throw unfit(operator, left, right);
        };
    }

    private static TemplateError unfit(String operator, Object left, Object right) {
        return TemplateError.runtime(
                "'" + operator + "' cannot be applied to " + Values.typeName(left) + " and " + Values.typeName(right));
    }

    private static Object joined(Run run, Object left, Object right) {
        if (left instanceof String a && right instanceof String b) {
            run.budget().make((long) a.length() + b.length());
            return a + b;
        }
        if (left instanceof ListValue a && right instanceof ListValue b) {
            return new ListValue(joinedItems(run, a.items(), b.items()));
        }
        if (left instanceof Tuple a && right instanceof Tuple b) {
            return new Tuple(joinedItems(run, a.items(), b.items()));
        }
        throw unfit("+", left, right);
    }

    private static List<Object> joinedItems(Run run, List<Object> a, List<Object> b) {
        run.budget().elements((long) a.size() + b.size());
        List<Object> items = new ArrayList<>(a);
        items.addAll(b);
        return items;
    }

    private static Object repeated(Run run, Object value, Object count) {
        if (!Numbers.isInteger(count)) {
            throw unfit("*", value, count);
        }
        long times = Math.clamp(Numbers.small(count), 0, Integer.MAX_VALUE);
        return switch (value) {
            case String text -> {
                run.budget().make(text.length() * times);
                yield text.repeat(text.isEmpty() ? 0 : (int) times);
            }
            case ListValue list -> new ListValue(repeatedItems(run, list.items(), times));
            case Tuple tuple -> new Tuple(repeatedItems(run, tuple.items(), times));
            default -> throw unfit("*", value, count);
        };
    }

    private static List<Object> repeatedItems(Run run, List<Object> items, long times) {
        run.budget().elements(items.size() * times);
        List<Object> result = new ArrayList<>();
        for (long i = 0; i < times && !items.isEmpty(); i++) {
            result.addAll(items);
        }
        return result;
    }

    private static Object real(String operator, double a, double b) {
        if (b == 0 && (operator.equals("/") || operator.equals("//") || operator.equals("%"))) {
            throw TemplateError.runtime("division by zero");
        }
        return switch (operator) {
            case "+" -> a + b;
            case "-" -> a - b;
            case "*" -> a * b;
            case "/" -> a / b;
            case "//" -> Math.floor((a - modulo(a, b)) / b + 0.5);
            case "%" -> modulo(a, b);
            default -> power(a, b);
        };
    }

    private static double modulo(double a, double b) {
        double remainder = a % b;
        if (remainder == 0) {
            return Math.copySign(0.0, b);
        }
        return remainder < 0 != b < 0 ? remainder + b : remainder;
    }

    private static double power(double a, double b) {
        if (a == 0 && b < 0) {
            throw TemplateError.runtime("0 cannot be raised to a negative power");
        }
        if (a < 0 && !Numbers.isWhole(b) && !Double.isInfinite(b)) {
            throw TemplateError.runtime("a negative number raised to a fraction is no real number");
        }
        double result = a == 1 ? 1 : Math.pow(a, b);
        if (Double.isInfinite(result) && !Double.isInfinite(a) && !Double.isInfinite(b)) {
            throw TemplateError.runtime("the power is too large");
        }
        return result;
    }

    private static Object whole(String operator, Object left, Object right) {
        BigInteger a = Numbers.big(left);
        BigInteger b = Numbers.big(right);
        if (b.signum() == 0 && (operator.equals("//") || operator.equals("%"))) {
            throw TemplateError.runtime("division by zero");
        }
        return switch (operator) {
            case "+" -> Numbers.integer(a.add(b));
            case "-" -> Numbers.integer(a.subtract(b));
            case "*" -> Numbers.integer(a.multiply(b));
            case "//" -> Numbers.integer(floor(a, b)[0]);
            case "%" -> Numbers.integer(floor(a, b)[1]);
            default -> b.signum() < 0 ? (Object) power(Numbers.real(left), Numbers.real(right)) : power(a, b);
        };
    }

    private static BigInteger[] floor(BigInteger a, BigInteger b) {
        BigInteger[] parts = a.divideAndRemainder(b);
        if (parts[1].signum() != 0 && parts[1].signum() != b.signum()) {
            parts[0] = parts[0].subtract(BigInteger.ONE);
            parts[1] = parts[1].add(b);
        }
        return parts;
    }

    private static Object power(BigInteger a, BigInteger b) {
        boolean trivial = a.abs().bitLength() <= 1;
        if (!trivial && (b.bitLength() > 31 || (a.bitLength() - 1L) * b.intValue() > MOST_BITS)) {
            throw TemplateError.limit("a power has more than " + MOST_BITS + " bits");
        }
        if (!trivial) {
            return Numbers.integer(a.pow(b.intValue()));
        }
        return Numbers.integer(b.signum() == 0 ? BigInteger.ONE : b.testBit(0) ? a : a.multiply(a));
    }
}
