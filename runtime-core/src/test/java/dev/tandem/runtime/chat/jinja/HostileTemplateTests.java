package dev.tandem.runtime.chat.jinja;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A template that means harm ends in a clear error, within bounds of time, memory and stack. */
class HostileTemplateTests {
    /** Smaller than the default, so that the test is quick; the mechanism is the same. */
    private static final Limits LIMITS = new Limits(300_000, 2 << 20, 1 << 20, Limits.DEFAULT.depth());

    /** The stack that most threads get on the smallest of our platforms. */
    private static final long STACK_BYTES = 512 << 10;

    private static String render(String source) {
        return JinjaTemplate.parse("template", source).render(Map.of(), LanguageTests.CLOCK, LIMITS);
    }

    /** Runs on a small stack, and answers with what was thrown. */
    private static Throwable failureOnSmallStack(String source) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = new Thread(null, () -> render(source), "small stack", STACK_BYTES);
        thread.setUncaughtExceptionHandler((t, e) -> failure.set(e));
        thread.start();
        thread.join();
        return Objects.requireNonNull(failure.get(), "nothing was thrown");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
                "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}",
                "{% macro m() %}{% call m() %}x{% endcall %}{% endmacro %}{{ m() }}",
                "{% macro m(x) %}{% if 1 %}{% for i in [1] %}{% with y = m([x]) %}{% endwith %}{% endfor %}"
                        + "{% endif %}{% endmacro %}{{ m(1) }}",
                "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
                "{% set l = [] %}{% do l.append(l) %}{{ l }}",
                "{% set l = [] %}{% do l.append(l) %}{{ l | tojson }}",
                "{% set d = {} %}{% do d.update(a=d) %}{{ d | tojson(indent=2) }}",
                "{% set a = [] %}{% set b = [] %}{% do a.append(b) %}{% do b.append(a) %}{{ a == b }}",
                "{% set a = [] %}{% set b = [] %}{% do a.append(b) %}{% do b.append(a) %}{{ a < b }}",
                "{% set ns = namespace(l=[1]) %}{% for i in range(40) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}"
                        + "{{ ns.l }}",
                "{% set ns = namespace(l=[1]) %}{% for i in range(90000) %}{% set ns.l = [ns.l] %}{% endfor %}"
                        + "{{ ns.l }}",
                "{% set ns = namespace(s='ab') %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
                "{% set ns = namespace(s='ab') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
                "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = ns.l + ns.l %}{% endfor %}",
                "{% set ns = namespace(s='aa') %}{% for i in range(60) %}"
                        + "{% set ns.s = ns.s | replace('a', ns.s) %}{% endfor %}",
                "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
                "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}",
                "{% for a in range(1000000000) %}{% endfor %}",
                "{{ range(-9223372036854775807, 9223372036854775807) | list }}",
                "{{ 'x' * 99999999999 }}",
                "{{ [1] * 99999999999 }}",
                "{{ 'x' * 9223372036854775807 }}",
                "{{ 9 ** (9 ** 9) }}",
                "{{ 10 ** 9999999999999999999999 }}",
                "{{ '%99999999d' % 1 }}",
                "{{ '%.99999999f' % 1 }}",
                "{{ '{:99999999}'.format(1) }}",
                "{{ '{:.99999999f}'.format(1) }}",
                "{{ 'a'.center(99999999999) }}",
                "{{ 'a'.zfill(99999999999) }}",
                "{{ '\t'.expandtabs(99999999999) }}",
                "{{ 'a' | indent(99999999999) }}",
                "{{ [1] | tojson(indent=99999999999) }}",
                "{{ [1] | batch(99999999999, 1) | list }}",
                "{{ [1] | slice(99999999999) | list }}",
                "{{ ('[' * 100000) | from_json }}",
                "{{ ([''] * 60000) | join('x' * 60000) }}",
                "{{ (' ' * 500000).split(' ') }}",
                "{% for i in range(99999) %}{{ ('x' * 100000) is in ('y' * 100000) }}{% endfor %}",
                "{% set l = range(50000) | list %}{% for i in l %}{{ i in l }}{% endfor %}",
                "{% set l = range(50000) | list %}{% for i in l %}{% do l.insert(0, i) %}{% endfor %}",
                "{{ range(99999) | map('string') | map('list') | list | tojson }}"
            })
    void endsWithinItsBudget(String source) throws InterruptedException {
        Throwable failure = failureOnSmallStack(source);
        ModelFileException error = assertThrows(
                ModelFileException.class,
                () -> {
                    throw failure;
                },
                source);
        assertEquals(ErrorCode.MODEL_UNSUPPORTED, error.code());
        assertTrue(error.getMessage().startsWith("template, line 1, column "), error.getMessage());
        assertFalse(error.remedy().isEmpty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(",
                "[",
                "{1:",
                "-",
                "not ",
                "a[",
                "a(",
                "1 if ",
                "x if 1 else ",
                "a|f(",
                "a is t(",
                "a is t [",
                "+",
                "1 ** -",
                "a.b(c=",
                "a(*",
                "a[b:",
                "{'a': ["
            })
    void refusesDeepNestingOfExpressions(String opening) throws InterruptedException {
        assertTrue(failureOnSmallStack("{{ " + opening.repeat(50_000) + " }}") instanceof ModelFileException);
    }

    @ParameterizedTest
    @ValueSource(strings = {"( )", "[ ]", "{1: }", "a( )", "a[ ]", "a|f( )", "a is t( )", "a(b= )", "(1 if 1 else )"})
    void refusesDeepNestingOfClosedBrackets(String brackets) throws InterruptedException {
        String[] pair = brackets.split(" (?=[^ ]+$)");
        String source = "{{ " + pair[0].repeat(50_000) + " 1 " + pair[1].repeat(50_000) + " }}";
        assertTrue(failureOnSmallStack(source) instanceof ModelFileException);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{% if 1 %}",
                "{% for a in b %}",
                "{% macro m() %}",
                "{% set a %}",
                "{% filter trim %}",
                "{% with %}",
                "{% call m() %}",
                "{% generation %}",
                "{% if 1 %}{% elif 1 %}{% for a in b %}{% else %}"
            })
    void refusesDeepNestingOfBlocks(String opening) throws InterruptedException {
        assertTrue(failureOnSmallStack(opening.repeat(20_000)) instanceof ModelFileException);
    }

    @ParameterizedTest
    @ValueSource(strings = {" + 1", " * 1", " ** 1", " and 1", " or 0", "|abs", ".a", "[0]", "(1)", " is odd or 1"})
    void refusesLongChainsThatWouldNeedADeepStack(String link) throws InterruptedException {
        assertTrue(failureOnSmallStack("{{ 1" + link.repeat(20_000) + " }}") instanceof ModelFileException);
    }

    @Test
    void rendersLongFlatTemplates() {
        assertEquals("1".repeat(5000), render("{{ 1 }}".repeat(5000)));
        assertEquals("1".repeat(5000), render("{{ 1" + " ~ 1".repeat(4999) + " }}"));
        assertEquals("z", render("{% if 0 %}" + "{% elif 0 %}".repeat(5000) + "{% else %}z{% endif %}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{{",
                "{%",
                "{#",
                "{{ 'a",
                "{{ (",
                "{% if x %}",
                "{% raw %}",
                "{% for %}",
                "{% endfor %}",
                "{{ }}",
                "{% set %}",
                "{% macro %}",
                "{%%}",
                "{{ a b }}",
                "{{ 'a\\x' }}",
                "{{ '\\U99999999' }}",
                "{% if x",
                "{{ 1 }",
                "{{ ]}}",
                "{% block %}"
            })
    void refusesBrokenSyntaxWithItsPlace(String source) {
        ModelFileException error = assertThrows(ModelFileException.class, () -> render("a\nb " + source));
        assertTrue(error.getMessage().startsWith("template, line 2, column "), error.getMessage());
    }

    @Test
    void namesLineColumnAndExpressionOfAFailure() {
        ModelFileException error = assertThrows(
                ModelFileException.class, () -> render("a\n{% if 1 %}\n  {{ 'x' ~ (m.b.c | upper) }}" + "{% endif %}"));
        assertEquals("template, line 3, column 13, at 'm.b': 'm' is undefined", error.getMessage());
    }

    @Test
    void tellsAConversationThatIsRefusedFromATemplateThatIsBroken() {
        UsageException error =
                assertThrows(UsageException.class, () -> render("{{ raise_exception('roles must alternate') }}"));
        assertEquals(ErrorCode.BAD_ARGUMENT, error.code());
        assertTrue(error.getMessage().contains("roles must alternate"), error.getMessage());
        assertTrue(error.getMessage().contains("line 1, column 4"), error.getMessage());
    }

    @Test
    void aRenderingLeavesItsInputsAsTheyWere() {
        Map<String, Object> variables = Map.of("l", new ArrayList<>(List.of(1, 2)));
        LanguageTests.render("{% do l.append(3) %}", variables);
        assertEquals(Map.of("l", List.of(1, 2)), variables);
    }
}
