package dev.tandem.runtime.chat.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Equality, order and membership. */
final class Comparisons {
    private Comparisons() {}

    static boolean compare(Run run, String operator, Object left, Object right) {
        return switch (operator) {
            case "==" -> equal(run, left, right);
            case "!=" -> !equal(run, left, right);
            case "in" -> contains(run, right, left);
            case "not in" -> !contains(run, right, left);
            default -> ordered(run, operator, left, right);
        };
    }

    static boolean equal(Run run, Object left, Object right) {
        run.budget().step();
        if (Numbers.isNumber(left) && Numbers.isNumber(right)) {
            return !Numbers.isNan(left) && !Numbers.isNan(right) && Numbers.compare(left, right) == 0;
        }
        run.budget().enter();
        boolean equal = switch (left) {
            case String text -> {
                run.look(text);
                yield text.equals(right);
            }
            case ListValue list -> right instanceof ListValue other && same(run, list.items(), other.items());
            case Tuple tuple -> right instanceof Tuple other && same(run, tuple.items(), other.items());
            case Dict dict -> right instanceof Dict other && same(run, dict, other);
            case Undefined undefined -> right instanceof Undefined;
            case Range range -> right instanceof Range other && same(run, range.items(), other.items());
            default -> left.equals(right);
        };
        run.budget().leave();
        return equal;
    }

    private static boolean same(Run run, List<Object> left, List<Object> right) {
        if (left.size() != right.size()) {
            return false;
        }
        for (int i = 0; i < left.size(); i++) {
            if (!equal(run, left.get(i), right.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean same(Run run, Dict left, Dict right) {
        if (left.size() != right.size()) {
            return false;
        }
        for (Object entry : left.items()) {
            List<Object> pair = ((Tuple) entry).items();
            Object other = right.get(pair.get(0));
            if (other == null || !equal(run, pair.get(1), other)) {
                return false;
            }
        }
        return true;
    }

    static boolean contains(Run run, Object container, Object item) {
        return switch (container) {
            case String text -> {
                if (!(item instanceof String part)) {
                    throw item instanceof Undefined undefined
                            ? undefined.error()
                            : TemplateError.runtime(
                                    "'in' needs a string before a string, not a " + Values.typeName(item));
                }
                run.budget().look(text.length());
                yield text.contains(part);
            }
            case Dict dict -> dict.has(item);
            case Namespace namespace -> throw notIterable(namespace);
            case ListValue list -> any(run, list.items(), item);
            default -> any(run, Values.iterate(run, container), item);
        };
    }

    private static TemplateError notIterable(Object value) {
        return TemplateError.runtime("'in' cannot look into a value of type " + Values.typeName(value));
    }

    private static boolean any(Run run, List<Object> items, Object item) {
        for (Object candidate : items) {
            if (equal(run, candidate, item)) {
                return true;
            }
        }
        return false;
    }

    private static boolean ordered(Run run, String operator, Object left, Object right) {
        run.budget().step();
        if (Numbers.isNan(left) || Numbers.isNan(right)) {
            return false;
        }
        int order = order(run, operator, left, right);
        return switch (operator) {
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            default -> order >= 0;
        };
    }

    private static int order(Run run, String operator, Object left, Object right) {
        if (Numbers.isNumber(left) && Numbers.isNumber(right)) {
            return Numbers.compare(left, right);
        }
        run.budget().enter();
        int order;
        if (left instanceof String a && right instanceof String b) {
            run.budget().look(Math.min(a.length(), b.length()));
            order = codePoints(a, b);
        } else if (left instanceof ListValue a && right instanceof ListValue b) {
            order = lists(run, operator, a.items(), b.items());
        } else if (left instanceof Tuple a && right instanceof Tuple b) {
            order = lists(run, operator, a.items(), b.items());
        } else if (left instanceof Undefined undefined) {
            throw undefined.error();
        } else if (right instanceof Undefined undefined) {
            throw undefined.error();
        } else {
            throw TemplateError.runtime(
                    "'" + operator + "' cannot compare " + Values.typeName(left) + " and " + Values.typeName(right));
        }
        run.budget().leave();
        return order;
    }

    private static int codePoints(String a, String b) {
        int mismatch = 0;
        int most = Math.min(a.length(), b.length());
        while (mismatch < most && a.charAt(mismatch) == b.charAt(mismatch)) {
            mismatch++;
        }
        if (mismatch == most) {
            return Integer.compare(a.length(), b.length());
        }
        char x = a.charAt(mismatch);
        char y = b.charAt(mismatch);
        boolean onlyOneSurrogate = Character.isSurrogate(x) != Character.isSurrogate(y);
        return onlyOneSurrogate ? Character.isSurrogate(x) ? 1 : -1 : Character.compare(x, y);
    }

    private static int lists(Run run, String operator, List<Object> a, List<Object> b) {
        for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
            if (!equal(run, a.get(i), b.get(i))) {
                return order(run, operator, a.get(i), b.get(i));
            }
        }
        return Integer.compare(a.size(), b.size());
    }

    static boolean less(Run run, Object left, Object right) {
        return ordered(run, "<", left, right);
    }

    /**
     * The items in the order of their keys, equal ones as they were.
     *
     * <p>A merge sort of our own: the library's gives up on orders that contradict themselves, as that of NaN does.
     */
    static List<Object> sorted(Run run, List<Object> items, UnaryOperator<Object> key, boolean reverse) {
        run.budget().elements(2L * items.size());
        List<Tuple> keyed = new ArrayList<>(items.size());
        for (Object item : items) {
            keyed.add(Tuple.of(key.apply(item), item));
        }
        List<Object> sorted = new ArrayList<>(items.size());
        for (Tuple pair : merged(run, keyed, reverse)) {
            sorted.add(pair.items().get(1));
        }
        return sorted;
    }

    private static List<Tuple> merged(Run run, List<Tuple> keyed, boolean reverse) {
        if (keyed.size() < 2) {
            return keyed;
        }
        int middle = keyed.size() / 2;
        List<Tuple> left = merged(run, keyed.subList(0, middle), reverse);
        List<Tuple> right = merged(run, keyed.subList(middle, keyed.size()), reverse);
        List<Tuple> result = new ArrayList<>(keyed.size());
        int i = 0;
        int j = 0;
        while (i < left.size() && j < right.size()) {
            Object a = left.get(i).items().getFirst();
            Object b = right.get(j).items().getFirst();
            run.budget().step();
            boolean takeRight = reverse ? less(run, a, b) : less(run, b, a);
            result.add(takeRight ? right.get(j++) : left.get(i++));
        }
        result.addAll(left.subList(i, left.size()));
        result.addAll(right.subList(j, right.size()));
        return result;
    }
}
