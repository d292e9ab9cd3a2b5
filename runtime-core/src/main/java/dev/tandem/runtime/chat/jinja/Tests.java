package dev.tandem.runtime.chat.jinja;

import java.util.Map;

/** The tests behind {@code is}, by name. */
final class Tests {
    private static final Map<String, Test> ALL = Map.ofEntries(
            Map.entry("defined", plain(value -> !(value instanceof Undefined))),
            Map.entry("undefined", plain(value -> value instanceof Undefined)),
            Map.entry("none", plain(value -> value == None.NONE)),
            Map.entry("boolean", plain(value -> value instanceof Boolean)),
            Map.entry("true", plain(value -> value.equals(true))),
            Map.entry("false", plain(value -> value.equals(false))),
            Map.entry("integer", plain(value -> Numbers.isInteger(value) && !(value instanceof Boolean))),
            Map.entry("float", plain(value -> value instanceof Double)),
            Map.entry("number", plain(Numbers::isNumber)),
            Map.entry("string", plain(value -> value instanceof String)),
            Map.entry("mapping", plain(value -> value instanceof Dict)),
            Map.entry("sequence", plain(Tests::isSequence)),
            Map.entry("iterable", plain(Values::isIterable)),
            Map.entry("callable", plain(value -> value instanceof Callable)),
            Map.entry("escaped", plain(value -> false)),
            Map.entry("lower", (run, value, a) -> {
                run.look(value);
                return StringCases.isLower(Text.of(run, value));
            }),
            Map.entry("upper", (run, value, a) -> {
                run.look(value);
                return StringCases.isUpper(Text.of(run, value));
            }),
            Map.entry("even", (run, value, a) -> remainder(run, value, 2L).equals(0L)),
            Map.entry("odd", (run, value, a) -> remainder(run, value, 2L).equals(1L)),
            Map.entry("divisibleby", (run, value, a) -> {
                Object divisor = a.bind("divisibleby", 1, "num").get(0);
                return Comparisons.equal(run, Arithmetic.binary(run, "%", value, divisor), 0L);
            }),
            Map.entry("sameas", (run, value, a) -> value.equals(other("sameas", a))),
            Map.entry("filter", (run, value, a) -> value instanceof String name && Filters.has(name)),
            Map.entry("test", (run, value, a) -> value instanceof String name && has(name)),
            Map.entry("in", (run, value, a) -> Comparisons.contains(run, other("in", a), value)),
            Map.entry("eq", comparison("==")),
            Map.entry("==", comparison("==")),
            Map.entry("equalto", comparison("==")),
            Map.entry("ne", comparison("!=")),
            Map.entry("!=", comparison("!=")),
            Map.entry("lt", comparison("<")),
            Map.entry("<", comparison("<")),
            Map.entry("lessthan", comparison("<")),
            Map.entry("le", comparison("<=")),
            Map.entry("<=", comparison("<=")),
            Map.entry("gt", comparison(">")),
            Map.entry(">", comparison(">")),
            Map.entry("greaterthan", comparison(">")),
            Map.entry("ge", comparison(">=")),
            Map.entry(">=", comparison(">=")));

    private Tests() {}

    /** What a test does. */
    @FunctionalInterface
    interface Test {
        boolean test(Run run, Object value, Arguments arguments);
    }

    /** A test that looks at the value only. */
    private interface PlainTest {
        boolean test(Object value);
    }

    private static Test plain(PlainTest test) {
        return (run, value, arguments) -> {
            arguments.bind("the test", 0);
            return test.test(value);
        };
    }

    private static Test comparison(String operator) {
        return (run, value, arguments) -> Comparisons.compare(run, operator, value, other(operator, arguments));
    }

    private static Object other(String name, Arguments arguments) {
        return arguments.bind("the test '" + name + "'", 1, "other").get(0);
    }

    private static Object remainder(Run run, Object value, long divisor) {
        Object remainder = Arithmetic.binary(run, "%", value, divisor);
        return remainder instanceof Double real && Numbers.isWhole(real) ? Numbers.truncate(real) : remainder;
    }

    private static boolean isSequence(Object value) {
        return value instanceof String
                || value instanceof Dict
                || value instanceof Undefined
                || Values.isIndexed(value);
    }

    static boolean has(String name) {
        return ALL.containsKey(name);
    }

    static Test find(String name) {
        Test test = ALL.get(name);
        if (test == null) {
            throw TemplateError.runtime("there is no test '" + name + "'");
        }
        return test;
    }
}
