package dev.tandem.runtime.chat.jinja;

import dev.tandem.runtime.chat.jinja.Statement.Branch;
import dev.tandem.runtime.chat.jinja.Statement.Target;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Carries out statements and collects the text that they give. */
final class Renderer {
    private final Run run;
    private final Evaluator evaluator;
    private StringBuilder out = new StringBuilder();

    Renderer(Run run) {
        this.run = run;
        evaluator = new Evaluator(run);
    }

    /** How a statement ended. */
    private enum Flow {
        ON,
        BREAK,
        CONTINUE
    }

    Run run() {
        return run;
    }

    /** The text of statements that stand in a scope of their own. */
    String capture(List<Statement> body, Scope scope) {
        StringBuilder before = out;
        out = new StringBuilder();
        run.budget().enter();
        execute(body, scope);
        run.budget().leave();
        String text = out.toString();
        out = before;
        return run.budget().made(text);
    }

    Object evaluate(Expression expression, Scope scope) {
        return evaluator.evaluate(expression, scope);
    }

    private void write(String text) {
        run.budget().make(text.length());
        if ((long) out.length() + text.length() > run.budget().mostOutput()) {
            throw TemplateError.limit(
                    "the result is longer than " + run.budget().mostOutput() + " characters");
        }
        out.append(text);
    }

    private Flow execute(List<Statement> statements, Scope scope) {
        for (Statement statement : statements) {
            run.budget().enter();
            Flow flow;
            try {
                flow = execute(statement, scope);
            } catch (TemplateError e) {
                throw e.at(statement.span());
            }
            run.budget().leave();
            if (flow != Flow.ON) {
                return flow;
            }
        }
        return Flow.ON;
    }

    private Flow execute(Statement statement, Scope scope) {
        switch (statement) {
            case Statement.Data data -> write(data.text());
            case Statement.Print print -> write(Text.of(run, evaluate(print.value(), scope)));
            case Statement.If choice -> {
                return choose(choice, scope);
            }
            case Statement.For loop -> {
                return loop(loop, evaluate(loop.items(), scope), scope, 1);
            }
            case Statement.Set set -> assign(set.target(), evaluate(set.value(), scope), scope);
            case Statement.SetBlock set -> setBlock(set, scope);
            case Statement.MacroDefinition macro ->
                scope.set(macro.signature().name(), new Macro(this, macro.signature(), macro.body(), scope));
            case Statement.CallBlock call -> callBlock(call, scope);
            case Statement.FilterBlock block -> {
                String text = capture(block.body(), new Scope(scope));
                write(Text.of(run, evaluator.filterBlock(block.filters(), text, scope)));
            }
            case Statement.With with -> {
                return with(with, scope);
            }
            case Statement.Scoped block -> {
                return execute(block.body(), new Scope(scope));
            }
            case Statement.Do action -> evaluate(action.value(), scope);
            case Statement.Break jump -> {
                return Flow.BREAK;
            }
            case Statement.Continue jump -> {
                return Flow.CONTINUE;
            }
        }
        return Flow.ON;
    }

    private void setBlock(Statement.SetBlock set, Scope scope) {
        String text = capture(set.body(), new Scope(scope));
        Expression filters = set.filters();
        Object value = filters == null ? text : evaluator.filterBlock(filters, text, scope);
        assign(set.target(), value, scope);
    }

    private void callBlock(Statement.CallBlock call, Scope scope) {
        Macro caller = new Macro(this, call.signature(), call.body(), scope);
        Arguments arguments = new Arguments(List.of(), Map.of("caller", caller));
        write(Text.of(run, evaluator.call(call.call(), arguments, scope)));
    }

    private Flow choose(Statement.If choice, Scope scope) {
        for (Branch branch : choice.branches()) {
            if (Values.isTrue(evaluate(branch.test(), scope))) {
                return execute(branch.body(), scope);
            }
        }
        return execute(choice.otherwise(), scope);
    }

    private Flow with(Statement.With with, Scope scope) {
        Scope inner = new Scope(scope);
        for (int i = 0; i < with.targets().size(); i++) {
            assign(with.targets().get(i), evaluate(with.values().get(i), scope), inner);
        }
        return execute(with.body(), inner);
    }

    /** Loops. The {@code else} part is carried out where no round came to its end, as in Jinja2. */
    private Flow loop(Statement.For loop, Object iterable, Scope scope, int depth) {
        List<Object> items = Values.iterate(run, iterable);
        Expression test = loop.test();
        if (test != null) {
            items = items.stream()
                    .filter(item -> Values.isTrue(evaluate(test, itemScope(loop.target(), item, scope))))
                    .toList();
        }
        LoopState state = new LoopState(run, items, depth, inner -> recurse(loop, inner, scope, depth));
        boolean completed = false;
        Flow flow = Flow.ON;
        for (int i = 0; i < items.size() && flow != Flow.BREAK; i++) {
            run.budget().step();
            state.moveTo(i);
            Scope inner = itemScope(loop.target(), items.get(i), scope);
            inner.set("loop", state);
            flow = execute(loop.body(), inner);
            completed |= flow == Flow.ON;
        }
        return completed ? Flow.ON : execute(loop.otherwise(), new Scope(scope));
    }

    private Scope itemScope(Target target, Object item, Scope scope) {
        Scope inner = new Scope(scope);
        assign(target, item, inner);
        return inner;
    }

    /** What {@code loop(items)} gives: the loop's text for other items, one level deeper. */
    private String recurse(Statement.For loop, Object items, Scope scope, int depth) {
        if (!loop.recursive()) {
            throw TemplateError.runtime("only a loop marked 'recursive' can be called");
        }
        StringBuilder before = out;
        out = new StringBuilder();
        run.budget().enter();
        loop(loop, items, scope, depth + 1);
        run.budget().leave();
        String text = out.toString();
        out = before;
        return run.budget().made(text);
    }

    private void assign(Target target, Object value, Scope scope) {
        switch (target) {
            case Target.Variable variable -> scope.set(variable.name(), value);
            case Target.Member member -> {
                Object owner = scope.get(member.namespace());
                if (!(owner instanceof Namespace namespace)) {
                    throw TemplateError.runtime(
                                    "'" + member.namespace() + "' is no namespace: only its attributes can be set")
                            .at(member.span());
                }
                run.budget().elements(1);
                namespace.put(member.name(), value);
            }
            case Target.Several several -> unpack(several, value, scope);
        }
    }

    private void unpack(Target.Several several, Object value, Scope scope) {
        List<Object> parts = Values.iterate(run, value);
        if (parts.size() != several.targets().size()) {
            throw TemplateError.runtime("cannot unpack " + parts.size() + " values into "
                            + several.targets().size() + " variables")
                    .at(several.span());
        }
        for (int i = 0; i < parts.size(); i++) {
            assign(several.targets().get(i), parts.get(i), scope);
        }
    }

    /** The value of a macro's parameter that got no argument. */
    Object defaultOf(@Nullable Expression expression, String parameter, Scope scope) {
        return expression == null
                ? new Undefined("the parameter '" + parameter + "' was not given")
                : evaluate(expression, scope);
    }
}
