package dev.tandem.runtime.chat.jinja;

import dev.tandem.runtime.chat.jinja.Expression.CallArguments;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Computes expressions. */
final class Evaluator {
    private final Run run;

    Evaluator(Run run) {
        this.run = run;
    }

    Object evaluate(Expression expression, Scope scope) {
        run.budget().enter();
        Object value;
        try {
            value = compute(expression, scope);
        } catch (TemplateError e) {
            throw e.at(expression.span());
        }
        run.budget().leave();
        return value;
    }

    private Object compute(Expression expression, Scope scope) {
        return switch (expression) {
            case Expression.Literal literal -> literal.value();
            case Expression.Name name -> scope.get(name.name());
            case Expression.ListLiteral list -> new ListValue(all(list.items(), scope));
            case Expression.TupleLiteral tuple -> new Tuple(all(tuple.items(), scope));
            case Expression.DictLiteral dict -> dict(dict, scope);
            case Expression.Unary unary -> unary(unary, scope);
            case Expression.Binary binary ->
                Arithmetic.binary(
                        run, binary.operator(), evaluate(binary.left(), scope), evaluate(binary.right(), scope));
            case Expression.Logic logic -> {
                Object left = evaluate(logic.left(), scope);
                yield Values.isTrue(left) == logic.and() ? evaluate(logic.right(), scope) : left;
            }
            case Expression.Concat concat -> StringParts.join(run, "", all(concat.parts(), scope));
            case Expression.Comparison comparison -> comparison(comparison, scope);
            case Expression.Conditional conditional -> conditional(conditional, scope);
            case Expression.Attribute attribute ->
                Access.attribute(run, evaluate(attribute.target(), scope), attribute.name());
            case Expression.Subscript subscript -> subscript(subscript, scope);
            case Expression.Slice slice -> throw TemplateError.runtime("a slice cannot stand among other subscripts");
            case Expression.Call call -> call(call, Arguments.NONE, scope);
            case Expression.Filtered filtered -> filtered(filtered, scope);
            case Expression.Test test -> test(test, scope);
        };
    }

    private List<Object> all(List<Expression> expressions, Scope scope) {
        run.budget().elements(expressions.size());
        List<Object> values = new ArrayList<>(expressions.size());
        for (Expression expression : expressions) {
            values.add(evaluate(expression, scope));
        }
        return values;
    }

    private Object dict(Expression.DictLiteral literal, Scope scope) {
        run.budget().elements(2L * literal.keys().size());
        Dict dict = new Dict();
        for (int i = 0; i < literal.keys().size(); i++) {
            Object key = evaluate(literal.keys().get(i), scope);
            dict.put(key, evaluate(literal.values().get(i), scope));
        }
        return dict;
    }

    private Object unary(Expression.Unary unary, Scope scope) {
        Object value = evaluate(unary.operand(), scope);
        return unary.operator().equals("not") ? !Values.isTrue(value) : Arithmetic.unary(unary.operator(), value);
    }

    private Object comparison(Expression.Comparison comparison, Scope scope) {
        Object left = evaluate(comparison.first(), scope);
        for (int i = 0; i < comparison.operators().size(); i++) {
            Object right = evaluate(comparison.rights().get(i), scope);
            if (!Comparisons.compare(run, comparison.operators().get(i), left, right)) {
                return false;
            }
            left = right;
        }
        return true;
    }

    private Object conditional(Expression.Conditional conditional, Scope scope) {
        if (Values.isTrue(evaluate(conditional.test(), scope))) {
            return evaluate(conditional.yes(), scope);
        }
        Expression no = conditional.no();
        return no == null ? new Undefined("the condition is false and there is no 'else'") : evaluate(no, scope);
    }

    private Object subscript(Expression.Subscript subscript, Scope scope) {
        Object owner = evaluate(subscript.target(), scope);
        if (subscript.index() instanceof Expression.Slice slice) {
            return Access.slice(
                    run, owner, bound(slice.from(), scope), bound(slice.to(), scope), bound(slice.step(), scope));
        }
        return Access.item(run, owner, evaluate(subscript.index(), scope));
    }

    private Object bound(@Nullable Expression bound, Scope scope) {
        return bound == null ? None.NONE : evaluate(bound, scope);
    }

    /** Calls what a call names; keyword arguments of {@code more} come after the call's own. */
    Object call(Expression.Call call, Arguments more, Scope scope) {
        Object target = evaluate(call.target(), scope);
        Arguments arguments = arguments(call.arguments(), scope);
        if (!more.named().isEmpty()) {
            Map<String, Object> named = new LinkedHashMap<>(arguments.named());
            named.putAll(more.named());
            arguments = new Arguments(arguments.positional(), named);
        }
        return switch (target) {
            case Callable callable -> callable.call(arguments);
            case Undefined undefined -> throw undefined.error();
            default -> throw TemplateError.runtime("a value of type " + Values.typeName(target) + " cannot be called");
        };
    }

    private boolean test(Expression.Test test, Scope scope) {
        Object value = evaluate(test.target(), scope);
        return Tests.find(test.name()).test(run, value, arguments(test.arguments(), scope));
    }

    private Object filtered(Expression.Filtered filtered, Scope scope) {
        Expression target = filtered.target();
        if (target == null) {
            throw new IllegalStateException("a filter without a target");
        }
        return filter(filtered, evaluate(target, scope), scope);
    }

    private Object filter(Expression.Filtered filtered, Object value, Scope scope) {
        run.look(value);
        return Filters.find(filtered.name()).apply(run, value, arguments(filtered.arguments(), scope));
    }

    /** Applies the filters of a block to its text. */
    Object filterBlock(Expression filters, Object text, Scope scope) {
        if (!(filters instanceof Expression.Filtered filtered)) {
            throw new IllegalStateException("no filter");
        }
        run.budget().enter();
        Expression target = filtered.target();
        Object value = target == null ? text : filterBlock(target, text, scope);
        try {
            value = filter(filtered, value, scope);
        } catch (TemplateError e) {
            throw e.at(filtered.span());
        }
        run.budget().leave();
        return value;
    }

    private Arguments arguments(CallArguments given, Scope scope) {

        List<Object> positional = all(given.positional(), scope);
        Map<String, Object> named = new LinkedHashMap<>();
        for (int i = 0; i < given.names().size(); i++) {
            named.put(given.names().get(i), evaluate(given.values().get(i), scope));
        }
        if (given.star() != null) {
            positional.addAll(Values.iterate(run, evaluate(given.star(), scope)));
        }
        if (given.starStar() != null) {
            addNamed(evaluate(given.starStar(), scope), named);
        }
        return new Arguments(positional, named);
    }

    private void addNamed(Object dict, Map<String, Object> named) {
        if (!(dict instanceof Dict entries)) {
            throw TemplateError.runtime("'**' needs a dict, not a " + Values.typeName(dict));
        }
        run.budget().elements(2L * entries.size());
        for (Object entry : entries.items()) {
            List<Object> pair = ((Tuple) entry).items();
            if (!(pair.get(0) instanceof String name)) {
                throw TemplateError.runtime("'**' needs keys that are strings");
            }
            named.put(name, pair.get(1));
        }
    }
}
